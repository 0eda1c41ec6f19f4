"""What the description of the Memory Stores API cannot say in JSON Schema."""

import unicodedata

import schemathesis
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import positive_data_acceptance


def fits(path):
    """Whether a path is NFC, without format characters, of at most 1,024 bytes. The pattern says the rest."""
    return (
        unicodedata.normalize("NFC", path) == path
        and len(path.encode()) <= 1024
        and not any(unicodedata.category(letter) == "Cf" for letter in path)
    )


letters = st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Zl", "Zp", "Cn", "Co"], exclude_characters="/")
segments = st.text(letters, min_size=1, max_size=12).filter(lambda name: name not in (".", ".."))
paths = st.lists(segments, min_size=1, max_size=20).map(lambda names: "/" + "/".join(names))
schemathesis.openapi.format("memory-path", paths.filter(fits))
schemathesis.openapi.format("memory-path-prefix", st.just("/") | paths.map(lambda path: path + "/").filter(fits))

# Refusals of requests that are right by themselves: a store that is archived, a page of another list, a version that is still
# the newest.
OF_THE_STATE = (
    "The memory store is archived and cannot be changed.",
    "page: is not a cursor of this list",
    "The version is the newest of a live memory. Update or delete the memory first.",
)


@schemathesis.check
def what_is_described_is_taken(context, response, case):
    if response.status_code == 400 and response.json()["error"]["message"] in OF_THE_STATE:
        return None
    return positive_data_acceptance(context, response, case)
