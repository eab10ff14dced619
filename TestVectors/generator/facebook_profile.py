"""facebook.json, second half: optional claims, which fail soft."""

from facebook_claims import PICTURE, PROFILE, USER_ID, group
from model import NOW, TokenGroup
from tokens import Raw

HOMETOWN = {"id": "112000000000001", "name": "Nowhere, Testland"}
LOCATION = {"id": "112000000000002", "name": "Somewhere, Testland"}
THUMBPRINT = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

# Every optional claim with a value of its right shape, and the profile member it becomes (cnf becomes none).
FULL_CLAIMS = {
    "middle_name": "Quux",
    "email": "quilla@person.invalid",
    "user_friends": ["10220000000000003", "10220000000000001"],
    "user_birthday": "01/31/1990",
    "user_age_range": {"min": 21},
    "user_hometown": HOMETOWN,
    "user_location": LOCATION,
    "user_gender": "female",
    "user_link": f"https://www.facebook.com/app_scoped_user_id/{USER_ID}/",
    "cnf": {"jkt": THUMBPRINT},
}
FULL_PROFILE = {
    **PROFILE,
    "middleName": "Quux",
    "linkURL": FULL_CLAIMS["user_link"],
    "email": FULL_CLAIMS["email"],
    "friendIDs": FULL_CLAIMS["user_friends"],
    "birthday": {"year": 1990, "month": 1, "day": 31},
    "ageRange": {"min": 21},
    "hometown": HOMETOWN,
    "location": LOCATION,
    "gender": "female",
}
MEMBER_OF_CLAIM = {
    "name": "name", "given_name": "firstName", "middle_name": "middleName", "family_name": "lastName",
    "email": "email", "picture": "imageURL", "user_friends": "friendIDs", "user_birthday": "birthday",
    "user_age_range": "ageRange", "user_hometown": "hometown", "user_location": "location",
    "user_gender": "gender", "user_link": "linkURL",
}


class Soft:
    """Adds tests that change one optional claim and say what becomes of it."""

    def __init__(self, name: str, claim: str):
        self.group = group(name)
        self.claim = claim
        self.member = MEMBER_OF_CLAIM.get(claim)

    def _add(self, slug, comment, value, becomes, notes):
        profile = {"userID": USER_ID}
        if self.member:
            profile[self.member] = becomes
        test = f"facebook-{self.claim.replace('_', '-').removeprefix('user-')}-{slug}"
        self.group.accept(test, comment, claims={self.claim: value}, expect={"profile": profile, "notes": notes})

    def kept(self, slug, comment, value, becomes=None) -> None:
        self._add(slug, comment, value, becomes, [])

    def noted(self, slug, comment, value) -> None:
        self._add(slug, comment, value, None, [self.claim])


def everything() -> TokenGroup:
    g = group("all permissions")
    g.accept("facebook-full", "All twelve permissions granted.", claims=FULL_CLAIMS,
             expect={"claims": {"cnf": {"jkt": THUMBPRINT}}, "profile": FULL_PROFILE, "notes": []})
    for slug, value, why in [
        ("null", None, "null is a wrong type for every optional claim."),
        ("number", 12, "A number is a wrong type for every optional claim."),
        ("true", True, "A boolean is a wrong type for every optional claim."),
    ]:
        g.accept(f"facebook-all-optional-{slug}", why + " Login still works, and each claim is named.",
                 claims={claim: value for claim in [*MEMBER_OF_CLAIM, "cnf"]},
                 expect={"profile": {"userID": USER_ID, **{m: None for m in MEMBER_OF_CLAIM.values()}},
                         "notes": [*MEMBER_OF_CLAIM, "cnf"]})
    return g


def texts() -> list[TokenGroup]:
    result = []
    for claim in ("name", "given_name", "middle_name", "family_name", "email", "user_gender"):
        s = Soft(f"{claim}", claim)
        s.kept("empty", "An empty string means the claim says nothing.", "")
        s.noted("object", "Text was expected.", {"text": "x"})
        result.append(s.group)
    s = Soft("email, further", "email")
    s.kept("unchecked-shape", "An address is passed on as it came; no e-mail syntax is applied.",
           "not an address", "not an address")
    result.append(s.group)
    s = Soft("gender, further", "user_gender")
    s.kept("free-text", "Gender is free text.", "made-up word", "made-up word")
    return [*result, s.group]


def urls() -> list[TokenGroup]:
    s = Soft("picture", "picture")
    s.kept("https", "The usual signed address.", PICTURE, PICTURE)
    s.kept("empty", "Empty means there is none.", "")
    s.noted("http", "Only https addresses are given out.", PICTURE.replace("https:", "http:"))
    s.noted("javascript", "Anything that could run code in a page is held back.", "javascript:alert(1)")
    s.noted("no-host", "An https address without a host leads nowhere.", "https:///profilepic/")
    s.noted("relative", "A relative address has no host.", "/platform/profilepic/")
    link = Soft("link", "user_link")
    link.kept("https", "A full address.", "https://www.facebook.com/x/", "https://www.facebook.com/x/")
    link.kept("empty", "Empty means there is none.", "")
    link.noted("no-scheme", "Facebook has sent a bare host; without a scheme it is no address.", "facebook.com")
    link.noted("http", "Only https addresses are given out.", "http://www.facebook.com/x/")
    link.noted("scheme-relative", "The scheme must be said.", "//www.facebook.com/x/")
    return [s.group, link.group]


def friends() -> TokenGroup:
    s = Soft("friends", "user_friends")
    s.kept("two", "Order is kept.", ["3", "1"], ["3", "1"])
    s.kept("none", "No friends use the app: an empty list, which differs from no list.", [], [])
    s.noted("one-number", "One bad element spoils the list; a partial list would be misread as whole.", ["1", 2])
    s.noted("one-empty", "An empty ID is nobody.", ["1", ""])
    s.noted("one-null", "null is nobody.", ["1", None])
    s.noted("string", "A list was expected.", "1")
    s.noted("object", "A list was expected.", {"data": []})
    return s.group


def birthdays() -> TokenGroup:
    s = Soft("birthday", "user_birthday")
    for slug, text, parts, why in [
        ("full", "01/31/1990", {"year": 1990, "month": 1, "day": 31}, "Month, day and year."),
        ("month-and-day", "01/31", {"month": 1, "day": 31}, "The year may be hidden."),
        ("year", "1990", {"year": 1990}, "Or everything but the year."),
        ("leap-day", "02/29/2000", {"year": 2000, "month": 2, "day": 29}, "2000 was a leap year."),
        ("leap-day-no-year", "02/29", {"month": 2, "day": 29}, "Possible, since the year is unknown."),
        ("year-one", "0001", {"year": 1}, "The smallest year."),
        ("year-9999", "12/31/9999", {"year": 9999, "month": 12, "day": 31}, "The largest year."),
    ]:
        s.kept(slug, why, text, parts)
    s.kept("empty", "Empty means there is none.", "")
    for slug, text, why in [
        ("30-february", "02/30/1990", "There is no such day."),
        ("30-february-no-year", "02/30", "There is no such day in any year."),
        ("31-april-no-year", "04/31", "April has thirty days in every year."),
        ("leap-day-1900", "02/29/1900", "Centuries are leap years only when divisible by 400."),
        ("leap-day-2023", "02/29/2023", "2023 is not a leap year."),
        ("month-13", "13/01/1990", "There is no thirteenth month."),
        ("month-0", "00/10/1990", "Months count from one."),
        ("day-0", "01/00/1990", "Days count from one."),
        ("year-0", "0000", "Years count from one."),
        ("iso", "1990-01-31", "Another notation."),
        ("short", "1/31/1990", "Month and day have two digits."),
        ("two-digit-year", "01/31/90", "A year has four digits."),
        ("spaces", " 01/31/1990", "Nothing is trimmed."),
        ("wide-digits", "０1/31/1990", "Only ASCII digits are digits."),
        ("sign", "+1/31/1990", "A sign is not a digit."),
    ]:
        s.noted(slug, why, text)
    return s.group


def age_ranges() -> TokenGroup:
    s = Soft("age range", "user_age_range")
    s.kept("min", "Open at the top.", {"min": 21}, {"min": 21})
    s.kept("max", "Open at the bottom.", {"max": 17}, {"max": 17})
    s.kept("both", "A closed range.", {"min": 13, "max": 17}, {"min": 13, "max": 17})
    s.kept("min-zero", "Zero is not negative.", {"min": 0, "max": 1}, {"min": 0, "max": 1})
    s.kept("whole-fraction", "21.0 is the integer 21.", {"min": Raw("21.0")}, {"min": 21})
    s.kept("other-members", "Members with other names are passed over.", {"min": 21, "mid": "x"}, {"min": 21})
    s.noted("fraction", "21.5 is no integer.", {"min": 21.5})
    s.noted("equal", "The minimum must be below the maximum.", {"min": 21, "max": 21})
    s.noted("reversed", "The minimum must be below the maximum.", {"min": 22, "max": 21})
    s.noted("negative", "No age is negative.", {"min": -1})
    s.noted("boolean", "true is not the number one.", {"min": True})
    s.noted("text", "Digits in quotes are a string.", {"min": "21"})
    s.noted("one-good-one-text", "One bad bound spoils the range.", {"min": 21, "max": "x"})
    s.noted("empty", "Neither bound is given.", {})
    s.noted("only-other-members", "Neither bound is given.", {"from": 21})
    s.noted("array", "An object was expected.", [21])
    return s.group


def places() -> list[TokenGroup]:
    result = []
    for claim, place in (("user_hometown", HOMETOWN), ("user_location", LOCATION)):
        s = Soft(claim, claim)
        s.kept("good", "Both members are strings.", place, place)
        s.kept("other-members", "Members with other names are passed over.", {**place, "zip": 5}, place)
        s.noted("number-id", "The ID must be a string, although it looks like a number.", {**place, "id": 112})
        s.noted("no-id", "Both members are needed.", {"name": place["name"]})
        s.noted("no-name", "Both members are needed.", {"id": place["id"]})
        s.noted("empty-id", "Neither may be empty.", {**place, "id": ""})
        s.noted("empty-name", "Neither may be empty.", {**place, "name": ""})
        s.noted("string", "An object was expected.", place["name"])
        s.noted("empty-object", "Both members are needed.", {})
        result.append(s.group)
    return result


def confirmations() -> TokenGroup:
    s = Soft("confirmation", "cnf")
    s.kept("jkt", "The thumbprint of a proof-of-possession key (RFC 9449 section 6.1).", {"jkt": THUMBPRINT})
    s.kept("further-member", "Members of cnf that are not known mean nothing (RFC 7800 section 3.1).",
           {"jkt": THUMBPRINT, "kid": "device-1"})
    s.group.refuse("facebook-cnf-expired", "expired", "A token that is bound to a key expires like any other.",
                   claims={"cnf": {"jkt": THUMBPRINT}, "exp": NOW - 60, "iat": NOW - 3660})
    s.group.refuse("facebook-cnf-other-nonce", "nonce", "The key that a token is bound to replaces no nonce.",
                   claims={"cnf": {"jkt": THUMBPRINT}, "nonce": "of another attempt"})
    s.noted("text", "An object was expected.", "not an object")
    s.noted("empty-jkt", "An empty thumbprint confirms nothing.", {"jkt": ""})
    s.noted("number-jkt", "A thumbprint is a string.", {"jkt": 12345})
    s.noted("other-member", "No thumbprint is given.", {"x5t": "abc"})
    s.noted("empty-object", "No thumbprint is given.", {})
    return s.group


def groups() -> list[TokenGroup]:
    return [everything(), *texts(), *urls(), friends(), birthdays(), age_ranges(), *places(), confirmations()]
