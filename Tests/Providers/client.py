"""The relying party that is registered at each provider, and the users."""

ID = "relying-party-7f2c"
# The public client of a native app.
NATIVE_ID = "native-app-7f2c"
SECRET = "made-up-secret-of-a-relying-party"
# No server listens at this address: the response is read from the redirect.
REDIRECT_URI = "http://127.0.0.1:1/callback"
USERS = ("alice", "bob")
PASSWORD = "made-up-password"
