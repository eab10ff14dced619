"""Writes the bill of materials and the texts of the licences, for scripts/sbom.

usage: sbom.py DEPENDENCIES SCRATCH FOLDER

DEPENDENCIES is the output of `swift package show-dependencies --format json`, SCRATCH its scratch directory with the checkouts.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).resolve().parent.parent.parent
# Names of files in the root directory of a package.
LICENSE_FILES = re.compile(r"(LICEN[SC]E|COPYING)(\.(txt|md))?", re.IGNORECASE)
NOTICE_FILES = re.compile(r"NOTICE(\.(txt|md))?", re.IGNORECASE)

# The phrases that identify a licence, in lower case without punctuation and line ends. The first match applies.
TEXTS = {
    "Apache-2.0 WITH Swift-exception": (
        "apache license version 2 0 january 2004",
        "as an exception if you use this software to compile your source code",
    ),
    "Apache-2.0": (
        "apache license version 2 0 january 2004",
        "terms and conditions for use reproduction and distribution",
    ),
    "MIT": (
        "permission is hereby granted free of charge to any",
        "the software is provided as is without warranty of any kind",
    ),
}
# Debian's names of licences, and their SPDX identifiers.
DEBIAN = {
    "Apache-2.0": "Apache-2.0",
    "public-domain": "blessing",
    "PostgreSQL": "PostgreSQL",
    "LGPL-3+ or GPL-2+": "LGPL-3.0-or-later OR GPL-2.0-or-later",
}
# The Debian packages of the system libraries that the command loads, and the files whose licence is that of the library. The
# tools and tests of libidn2 have another one.
LIBRARIES = {"libssl3": "*", "libidn2-0": "*.c *.h", "libsqlite3-0": "*", "libpq5": "*"}


@dataclass
class Component:
    """A component that is linked into the command, or that it loads."""

    ref: str
    name: str
    version: str
    license: str
    url: str
    revision: str = ""
    texts: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    dependencies: set[str] = field(default_factory=set)

    def json(self) -> dict:
        found = {
            "type": "library",
            "bom-ref": self.ref,
            "name": self.name,
            "version": self.version,
            "licenses": [{"expression": self.license}],
            "purl": self.ref,
            "externalReferences": [{"type": "website" if self.ref.startswith("pkg:deb") else "vcs", "url": self.url}],
        }
        if self.revision:
            found["pedigree"] = {"commits": [{"uid": self.revision}]}
        return found


def fail(words: str) -> None:
    sys.exit(f"sbom: {words}")


def plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def license_of(text: str, whose: str) -> str:
    said = plain(text)
    for name, phrases in TEXTS.items():
        if all(phrase in said for phrase in phrases):
            return name
    fail(f"the licence of {whose} is unknown; review it, and add it to scripts/lib/sbom.py")


def read(folder: Path, names: re.Pattern) -> list[str]:
    return [
        file.read_text().strip("\n")
        for file in sorted(folder.iterdir())
        if file.is_file() and names.fullmatch(file.name)
    ]


# ---------------------------------------------------------------------------------------------------- Swift packages


def packages(tree: dict, scratch: Path) -> dict[str, Component]:
    """Returns the resolved packages by their identities."""
    state = json.loads((scratch / "workspace-state.json").read_text())["object"]["dependencies"]
    revisions = {one["packageRef"]["identity"]: one["state"]["checkoutState"]["revision"] for one in state}
    found: dict[str, Component] = {}

    def visit(node: dict) -> None:
        for child in node["dependencies"]:
            if child["identity"] not in found:
                found[child["identity"]] = package(child, revisions)
            visit(child)

    def connect(node: dict) -> None:
        for child in node["dependencies"]:
            if node["identity"] in found:
                found[node["identity"]].dependencies.add(found[child["identity"]].ref)
            connect(child)

    visit(tree)
    connect(tree)
    return found


def package(node: dict, revisions: dict[str, str]) -> Component:
    path = Path(node["path"])
    url = node["url"].removesuffix(".git")
    texts = read(path, LICENSE_FILES)
    if not texts:
        fail(f"{node['identity']} has no licence in {path}")
    licenses = sorted({license_of(text, node["identity"]) for text in texts})
    return Component(
        f"pkg:swift/{url.removeprefix('https://')}@{node['version']}",
        node["name"],
        node["version"],
        " AND ".join(licenses),
        url,
        revisions[node["identity"]],
        texts,
        read(path, NOTICE_FILES),
    )


def taken_over(packages: dict[str, Component], scratch: Path) -> list[Component]:
    """Returns the components that packages contain as copies. Fails if one is not at its known path."""
    checkouts = scratch / "checkouts"
    found = []
    for owner, folder in (("swift-nio-ssl", "CNIOBoringSSL"), ("swift-crypto", "CCryptoBoringSSL")):
        if owner not in packages:
            continue
        source = checkouts / owner / "Sources" / folder
        revision = re.search(r"[0-9a-f]{40}", (source / "hash.txt").read_text())[0]
        header = plain((source / "crypto" / "mem.cc").read_text()[:1500])
        if "licensed under the apache license version 2 0" not in header:
            fail(f"BoringSSL in {owner} is no longer under Apache-2.0; review its licence")
        if not (source / "third_party" / "fiat").is_dir():
            fail(f"BoringSSL in {owner} no longer contains third_party/fiat")
        found.append(
            nested(
                packages[owner],
                "boringssl",
                revision,
                "Apache-2.0 AND MIT",
                "https://boringssl.googlesource.com/boringssl",
                [],
            )
        )
    if "swift-nio" in packages:
        text = (checkouts / "swift-nio" / "Sources" / "CNIOLLHTTP" / "LICENSE").read_text().strip("\n")
        header = (checkouts / "swift-nio" / "Sources" / "CNIOLLHTTP" / "include" / "c_nio_llhttp.h").read_text()
        version = ".".join(
            re.search(rf"LLHTTP_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH")
        )
        found.append(
            nested(
                packages["swift-nio"],
                "llhttp",
                version,
                license_of(text, "llhttp"),
                "https://github.com/nodejs/llhttp",
                [text],
            )
        )
    if "yams" in packages:
        if not (checkouts / "Yams" / "Sources" / "CYaml").is_dir():
            fail("Yams no longer contains CYaml")
        text = (ROOT / "scripts" / "lib" / "libyaml-license.txt").read_text().strip("\n")
        found.append(
            nested(
                packages["yams"],
                "libyaml",
                packages["yams"].version,
                license_of(text, "libyaml"),
                "https://github.com/yaml/libyaml",
                [text],
            )
        )
    return found


def nested(owner: Component, name: str, version: str, license: str, url: str, texts: list[str]) -> Component:
    ref = f"pkg:generic/{name}@{version}?in={owner.name}"
    owner.dependencies.add(ref)
    return Component(ref, name, version, license, url, texts=texts)


# ---------------------------------------------------------------------------------------------------- system libraries


def swift() -> Component:
    """Returns the runtime of Swift, which is linked into the command."""
    said = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"Swift version (\S+)", said)[1]
    license_file = Path(os.path.realpath(shutil.which("swift"))).parent.parent / "share" / "swift" / "LICENSE.txt"
    if not license_file.is_file():
        fail(f"Swift has no licence in {license_file}")
    text = license_file.read_text().strip("\n")
    return Component(
        f"pkg:github/swiftlang/swift@swift-{version}-RELEASE",
        "swift",
        version,
        license_of(text, "Swift"),
        "https://github.com/swiftlang/swift",
        texts=[text],
    )


def library(name: str) -> Component:
    """Returns a library of the system, with the version of its Debian package."""
    query = ["dpkg-query", "--show", "--showformat", "${Version} ${Architecture}", name]
    try:
        said = subprocess.run(query, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        fail(f'{name} is not installed as a Debian package; run "scripts/setup sqlite postgresql"')
    version, architecture = said.split()
    text = Path(f"/usr/share/doc/{name}/copyright").read_text()
    part = re.escape(LIBRARIES[name])
    files = re.search(rf"^Files: {part}$.*?^License: *([^\n]*\S)", text, re.MULTILINE | re.DOTALL)
    if not files or files[1] not in DEBIAN:
        fail(f"the licence of {name} is unknown: {files and files[1]}")
    ref = f"pkg:deb/debian/{name}@{version}?arch={architecture}"
    return Component(ref, name, version, DEBIAN[files[1]], f"https://tracker.debian.org/pkg/{name}")


# ---------------------------------------------------------------------------------------------------- output


def bill(tree: dict, ours: str, components: list[Component]) -> dict:
    version = re.search(r'static let version = "(.*?)"', (ROOT / "Sources/verify-token/VerifyToken.swift").read_text())[
        1
    ]
    root = f"pkg:generic/verify-token@{version}"
    direct = {
        f"pkg:swift/{child['url'].removesuffix('.git').removeprefix('https://')}@{child['version']}"
        for child in tree["dependencies"]
    }
    system = {component.ref for component in components if component.ref.startswith(("pkg:deb", "pkg:github"))}
    graph = [{"ref": root, "dependsOn": sorted(direct | system)}]
    graph += [{"ref": one.ref, "dependsOn": sorted(one.dependencies)} for one in components]
    found = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC).strftime(
                "%Y-%m-%dT%H:%M:%SZ"
            ),
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": "verify-token",
                "version": version,
                "purl": root,
                "licenses": [{"expression": ours}],
            },
        },
        "components": [component.json() for component in components],
        "dependencies": graph,
    }
    # Derived from the content, so that the output is reproducible.
    found["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(found, sort_keys=True)).urn
    return found


def texts(components: list[Component]) -> str:
    """Returns each licence text once, with the components under it, followed by the notices of the packages."""
    under: dict[str, list[str]] = {}
    for component in components:
        for text in component.texts:
            under.setdefault(text, []).append(component.name)
    rule = "=" * 120
    parts = [
        "The components of verify-token, and their licences.\n\n"
        "The system libraries that it loads have their own licences: see /usr/share/doc."
    ]
    for text, names in sorted(under.items(), key=lambda item: item[1]):
        parts.append(f"{rule}\n{', '.join(sorted(set(names), key=str.lower))}\n{rule}\n\n{text}")
    for component in components:
        for notice in component.notices:
            parts.append(f"{rule}\nNotice of {component.name}\n{rule}\n\n{notice}")
    return "\n\n".join(parts) + "\n"


def main() -> None:
    dependencies, scratch, folder = (Path(word) for word in sys.argv[1:])
    tree = json.loads(dependencies.read_text())
    of_swift = packages(tree, scratch)
    found = [*of_swift.values(), *taken_over(of_swift, scratch), swift(), *(library(name) for name in LIBRARIES)]
    found.sort(key=lambda component: (component.name.lower(), component.ref))
    ours = license_of((ROOT / "LICENSE").read_text(), "this project")
    text = json.dumps(bill(tree, ours, found), indent=2, ensure_ascii=False) + "\n"
    if errors := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        fail(f"the bill of materials is not valid CycloneDX 1.6: {errors}")
    (folder / "verify-token.cdx.json").write_text(text)
    (folder / "THIRD-PARTY-LICENSES").write_text(texts(found))
    licenses = sorted({component.license for component in found})
    print(
        f"sbom: {len(found)} components under {', '.join(licenses)}, "
        f"valid CycloneDX 1.6: {folder.name}/verify-token.cdx.json"
    )


if __name__ == "__main__":
    main()
