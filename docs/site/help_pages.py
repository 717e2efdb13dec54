"""The reference of the command, from its own help."""

import os
import re
import subprocess

VERB = re.compile(r"^  ([a-z0-9-]+) {2,}", re.MULTILINE)
# As wide as the site shows without scrolling.
COLUMNS = "88"


def all_help(command):
    """Return a page with the help of every verb."""
    parts = [
        "# All options of the command",
        "What `ternwood --help` and `ternwood VERB --help` print. "
        "[The manual](../command.md) says what the verbs are for, and its transcripts show them at work.",
        block(help_of(command, [])),
    ]
    for verb in verbs(command, []):
        parts += [f"## {verb}", block(help_of(command, [verb]))]
        for inner in verbs(command, [verb]):
            parts += [f"### {verb} {inner}", block(help_of(command, [verb, inner]))]
    return "\n\n".join(parts) + "\n"


def help_of(command, words):
    narrow = os.environ | {"COLUMNS": COLUMNS}
    run = subprocess.run([command, *words, "--help"], check=True, capture_output=True, text=True, env=narrow)
    return run.stdout.rstrip()


def verbs(command, words):
    """List the verbs that the help names under `Commands:`."""
    _, found, listed = help_of(command, words).partition("Commands:\n")
    listed = listed.split("\n\n")[0]
    return [verb for verb in VERB.findall(listed) if verb != "help"] if found else []


def block(text):
    return f"```text\n{text}\n```"
