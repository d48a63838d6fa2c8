"""Sentences on the page that may hold a person's text: shown as typed, never as Markdown or HTML."""

from __future__ import annotations

import re

import streamlit as st

WORD_JOINER = "\u2060"
_MARKUP = re.compile(r"[!#$&*+:<=>@\[\\\]^_`{|}~]|(?<=[-<])-|-(?=[->])|^-|(?<=www)\.|(?<=^\d)[.)]")


def literal(text: str) -> str:
    """Markdown that shows the text as typed: what could be markup as character references.

    Streamlit turns arrows into glyphs even then, so a word joiner (no width) keeps them apart.
    """
    text = " ".join(text.split()).replace("<-", f"<{WORD_JOINER}-").replace("->", f"-{WORD_JOINER}>")
    return _MARKUP.sub(lambda found: f"&#{ord(found.group())};", text)


def file_name(sent: str) -> str:
    """The name of a file as its owner has it: a browser sends its quotation marks as %22."""
    return sent.replace("%22", '"')


def problem(error: Exception) -> None:
    """Say why there is no answer."""
    sentence = str(error)
    st.error(literal(sentence[:1].upper() + sentence[1:] + ("" if sentence.endswith(".") else ".")))


def notice(text: str) -> None:
    """Say something that the reader should know beside the answer."""
    st.info(literal(text))


def small(text: str) -> None:
    """Say something by the way."""
    st.caption(literal(text))
