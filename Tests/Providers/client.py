"""The relying party that logs people in at both providers, and the people."""

ID = "relying-party-7f2c"
# The public client of a native app.
NATIVE_ID = "native-app-7f2c"
SECRET = "made-up-secret-of-a-relying-party"
# Nobody listens there: whoever logs in reads the answer from the redirect.
REDIRECT_URI = "http://127.0.0.1:1/callback"
USERS = ("alice", "bob")
PASSWORD = "made-up-password"
