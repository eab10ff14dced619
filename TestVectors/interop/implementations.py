"""Other implementations of JOSE behind one face: make a key, publish it, sign an ID token, verify one.

Each verifies as its documentation shows, with its own reader of JWK sets where it has one, and with its own checks of
`iss`, `aud` and `exp` where it has them. `verify` raises when the token is refused.
"""

import json
import warnings
from functools import cache
from importlib.metadata import version

import jose.backends.cryptography_backend
import jose.backends.ecdsa_backend
import jose.backends.rsa_backend
import josepy
import jwcrypto.jwa
import jwcrypto.jwk
import jwcrypto.jwt
import jwskate
import jwt
from cryptojwt.jwk.jwk import key_from_jwk_dict
from cryptojwt.jws.jws import SIGNER_ALGS
from cryptojwt.jwt import JWT as CryptoJWT
from cryptojwt.key_bundle import key_gen
from cryptojwt.key_jar import KeyJar
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from jose import jwt as python_jose_jwt
from jose.constants import ALGORITHMS as PYTHON_JOSE_ALGORITHMS
from joserfc import jwk as joserfc_jwk
from joserfc import jwt as joserfc_jwt
from joserfc.jws import JWSRegistry as JoserfcRegistry

with warnings.catch_warnings(record=True):
    # It says that joserfc will take its place; until then it is code of its own, and much used.
    import authlib.jose as authlib_jose

RS = "RS256 RS384 RS512"
PS = "PS256 PS384 PS512"
ES = "ES256 ES384 ES512"
CURVES = {"ES256": ("P-256", ec.SECP256R1()), "ES384": ("P-384", ec.SECP384R1()), "ES512": ("P-521", ec.SECP521R1())}


def key_type(algorithm: str) -> tuple[str, dict]:
    """`kty` and what else it takes to make a key for the algorithm."""
    if algorithm[0] in "RP":
        return "RSA", {}
    return ("EC", {"crv": CURVES[algorithm][0]}) if algorithm in CURVES else ("OKP", {"crv": "Ed25519"})


@cache
def new_pem(algorithm: str) -> bytes:
    """A new key from pyca/cryptography, for implementations that make none themselves."""
    kty, _ = key_type(algorithm)
    if kty == "RSA":
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    else:
        key = ec.generate_private_key(CURVES[algorithm][1]) if kty == "EC" else ed25519.Ed25519PrivateKey.generate()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


class Implementation:
    package: str
    """Its name in the package registry."""
    algorithms: str
    """What it has of ours. `registered` must say the same."""
    note = ""
    shortens_coordinates = False
    """Whether it leaves out leading zero octets of `x` and `y`, which RFC 7518 section 6.2.1.2 forbids."""

    @property
    def name(self) -> str:
        return f"{self.package} {version(self.package)}{self.note}"

    @property
    def id(self) -> str:
        return f"{self.package}{self.note}".lower().replace(" ", "-").replace(",", "")

    def registered(self) -> set[str]:
        """The algorithms by the implementation's own list."""
        raise NotImplementedError

    def new_key(self, algorithm: str):
        return new_pem(algorithm)

    def public_jwk(self, key, algorithm: str, kid: str) -> dict:
        raise NotImplementedError

    def sign(self, key, algorithm: str, kid: str, claims: dict) -> str:
        raise NotImplementedError

    def verify(self, token: str, key_set: str, algorithm: str, issuer: str, audience: str) -> dict:
        raise NotImplementedError


class PyJWT(Implementation):
    package, algorithms = "PyJWT", f"{RS} {PS} {ES} EdDSA"

    def registered(self):
        return set(jwt.PyJWS().get_algorithms())

    def public_jwk(self, key, algorithm, kid):
        signer = jwt.PyJWS().get_algorithm_by_name(algorithm)
        return {**signer.to_jwk(signer.prepare_key(key).public_key(), as_dict=True), "alg": algorithm, "kid": kid}

    def sign(self, key, algorithm, kid, claims):
        return jwt.encode(claims, key, algorithm, headers={"kid": kid})

    def verify(self, token, key_set, algorithm, issuer, audience):
        key = jwt.PyJWKSet.from_json(key_set)[jwt.get_unverified_header(token)["kid"]]
        return jwt.decode(token, key, algorithms=[algorithm], issuer=issuer, audience=audience)


class JWCrypto(Implementation):
    package, algorithms = "jwcrypto", f"{RS} {PS} {ES} EdDSA Ed25519"

    def registered(self):
        return set(jwcrypto.jwa.JWA.algorithms_registry)

    def new_key(self, algorithm):
        kty, parameters = key_type(algorithm)
        return jwcrypto.jwk.JWK.generate(kty=kty, **parameters)

    def public_jwk(self, key, algorithm, kid):
        return {**key.export_public(as_dict=True), "alg": algorithm, "use": "sig", "kid": kid}

    def sign(self, key, algorithm, kid, claims):
        token = jwcrypto.jwt.JWT(header={"alg": algorithm, "kid": kid, "typ": "JWT"}, claims=claims)
        token.make_signed_token(key)
        return token.serialize()

    def verify(self, token, key_set, algorithm, issuer, audience):
        wanted = {"iss": issuer, "aud": audience, "exp": None}
        verified = jwcrypto.jwt.JWT(algs=[algorithm], check_claims=wanted, expected_type="JWS")
        verified.deserialize(token, jwcrypto.jwk.JWKSet.from_json(key_set))
        return json.loads(verified.claims)


class Authlib(Implementation):
    package, algorithms = "Authlib", f"{RS} {PS} {ES} EdDSA"
    shortens_coordinates = True

    def registered(self):
        return set(authlib_jose.JsonWebSignature.ALGORITHMS_REGISTRY)

    def new_key(self, algorithm):
        kty, parameters = key_type(algorithm)
        return authlib_jose.JsonWebKey.generate_key(kty, parameters.get("crv", 2048), is_private=True)

    def public_jwk(self, key, algorithm, kid):
        return key.as_dict(is_private=False, alg=algorithm, use="sig", kid=kid)

    def sign(self, key, algorithm, kid, claims):
        token = authlib_jose.JsonWebToken([algorithm]).encode({"alg": algorithm, "kid": kid}, claims, key)
        return token.decode("ascii")

    def verify(self, token, key_set, algorithm, issuer, audience):
        wanted = {name: {"essential": True, "value": value} for name, value in (("iss", issuer), ("aud", audience))}
        keys = authlib_jose.JsonWebKey.import_key_set(json.loads(key_set))
        claims = authlib_jose.JsonWebToken([algorithm]).decode(token, keys, claims_options=wanted)
        claims.validate()
        return dict(claims)


class Joserfc(Implementation):
    package, algorithms = "joserfc", f"{RS} {PS} {ES} EdDSA Ed25519"

    def registered(self):
        return set(JoserfcRegistry.algorithms)

    def new_key(self, algorithm):
        kty, parameters = key_type(algorithm)
        return joserfc_jwk.generate_key(kty, parameters.get("crv", 2048))

    def public_jwk(self, key, algorithm, kid):
        return key.as_dict(private=False, alg=algorithm, use="sig", kid=kid)

    def sign(self, key, algorithm, kid, claims):
        return joserfc_jwt.encode({"alg": algorithm, "kid": kid}, claims, key, algorithms=[algorithm])

    def verify(self, token, key_set, algorithm, issuer, audience):
        keys = joserfc_jwk.KeySet.import_key_set(json.loads(key_set))
        claims = joserfc_jwt.decode(token, keys, algorithms=[algorithm]).claims
        wanted = {name: {"essential": True, "value": value} for name, value in (("iss", issuer), ("aud", audience))}
        joserfc_jwt.JWTClaimsRegistry(exp={"essential": True}, **wanted).validate(claims)
        return claims


class PythonJose(Implementation):
    """With the backends of pyca/cryptography, which it prefers."""

    package, algorithms = "python-jose", f"{RS} {ES}"
    note = ", OpenSSL"
    rsa_key = jose.backends.cryptography_backend.CryptographyRSAKey
    ec_key = jose.backends.cryptography_backend.CryptographyECKey

    def registered(self):
        return set(PYTHON_JOSE_ALGORITHMS.ALL)

    def backend(self, algorithm):
        return self.ec_key if algorithm in CURVES else self.rsa_key

    def public_jwk(self, key, algorithm, kid):
        return {**self.backend(algorithm)(key, algorithm).public_key().to_dict(), "kid": kid}

    def sign(self, key, algorithm, kid, claims):
        return python_jose_jwt.encode(claims, self.backend(algorithm)(key, algorithm), algorithm, headers={"kid": kid})

    def verify(self, token, key_set, algorithm, issuer, audience):
        # It would try every key of a set with the backend that it prefers, so the key is chosen here.
        kid = python_jose_jwt.get_unverified_header(token)["kid"]
        [key] = [self.backend(algorithm)(jwk, algorithm) for jwk in json.loads(key_set)["keys"] if jwk["kid"] == kid]
        return python_jose_jwt.decode(token, key, algorithms=[algorithm], issuer=issuer, audience=audience)


class PurePythonJose(PythonJose):
    """With the backends of the packages rsa and ecdsa: arithmetic in Python, and no OpenSSL."""

    note = ", pure Python"
    rsa_key = jose.backends.rsa_backend.RSAKey
    ec_key = jose.backends.ecdsa_backend.ECDSAECKey


class CryptoJwt(Implementation):
    package, algorithms = "cryptojwt", f"{RS} {PS} {ES} EdDSA Ed25519"
    shortens_coordinates = True

    def registered(self):
        return set(SIGNER_ALGS)

    def new_key(self, algorithm):
        kty, parameters = key_type(algorithm)
        return key_gen(kty, alg=algorithm, **parameters)

    def public_jwk(self, key, algorithm, kid):
        return {**key.serialize(private=False), "kid": kid}

    def sign(self, key, algorithm, kid, claims):
        signing_key = key_from_jwk_dict({**key.serialize(private=True), "kid": kid})
        keys = KeyJar()
        keys.add_keys(claims["iss"], [signing_key])
        return CryptoJWT(keys, iss=claims["iss"], sign_alg=algorithm).pack(claims, kid=kid, iat=claims["iat"])

    def verify(self, token, key_set, algorithm, issuer, audience):
        keys = KeyJar()
        keys.import_jwks_as_json(key_set, issuer)
        return CryptoJWT(keys, allowed_sign_algs=[algorithm]).unpack(token)


class Josepy(Implementation):
    package, algorithms = "josepy", f"{RS} {PS} {ES}"

    def registered(self):
        return set(josepy.JWASignature.SIGNATURES)

    def public_jwk(self, key, algorithm, kid):
        return {**josepy.JWK.load(key).public_key().to_json(), "alg": algorithm, "kid": kid}

    def sign(self, key, algorithm, kid, claims):
        token = josepy.JWS.sign(
            payload=json.dumps(claims).encode("utf-8"), key=josepy.JWK.load(key),
            alg=josepy.JWASignature.from_json(algorithm), kid=kid, include_jwk=False, protect=frozenset({"alg", "kid"}),
        )
        return token.to_compact().decode("ascii")

    def verify(self, token, key_set, algorithm, issuer, audience):
        read = josepy.JWS.from_compact(token.encode("ascii"))
        header = read.signature.combined
        [key] = [josepy.JWK.from_json(jwk) for jwk in json.loads(key_set)["keys"] if jwk["kid"] == header.kid]
        if header.alg.name != algorithm or not read.verify(key):
            raise ValueError("refused")
        return json.loads(read.payload)


class JwSkate(Implementation):
    package, algorithms = "jwskate", f"{RS} {PS} {ES} EdDSA"

    def registered(self):
        return {name for kind in jwskate.Jwk.__subclasses__() for name in kind.SIGNATURE_ALGORITHMS}

    def new_key(self, algorithm):
        return jwskate.Jwk.generate(alg=algorithm, **({"key_size": 2048} if key_type(algorithm)[0] == "RSA" else {}))

    def public_jwk(self, key, algorithm, kid):
        return {**key.public_jwk().to_dict(), "kid": kid}

    def sign(self, key, algorithm, kid, claims):
        return str(jwskate.Jwt.sign(claims, jwskate.Jwk({**key.to_dict(), "kid": kid}), alg=algorithm))

    def verify(self, token, key_set, algorithm, issuer, audience):
        verified = jwskate.SignedJwt(token)
        verified.validate(jwskate.JwkSet(json.loads(key_set)), alg=algorithm, issuer=issuer, audience=audience)
        return dict(verified.claims)


IMPLEMENTATIONS = [
    kind() for kind in (PyJWT, JWCrypto, Authlib, Joserfc, PythonJose, PurePythonJose, CryptoJwt, Josepy, JwSkate)
]
