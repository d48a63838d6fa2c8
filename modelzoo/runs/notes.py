"""What people say of rows: labels, notes, stars, saved slices. SQLite, for several sessions at once.

A row is bound to its run and its place in the run's file, so the same run computed anew finds them again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from modelzoo.runs.folder import NOTES_FILE, root_folder
from modelzoo.runs.record import now

BUSY_SECONDS = 30.0
MOST_CHARACTERS = 10_000
SCHEMA = """
CREATE TABLE IF NOT EXISTS labels(run_id TEXT, row INTEGER, label TEXT, created TEXT,
    PRIMARY KEY(run_id, row, label)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notes(run_id TEXT, row INTEGER, note TEXT, updated TEXT,
    PRIMARY KEY(run_id, row)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS stars(run_id TEXT, row INTEGER, created TEXT,
    PRIMARY KEY(run_id, row)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS slices(run_id TEXT, name TEXT, filter TEXT, created TEXT,
    PRIMARY KEY(run_id, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS label_list(label TEXT PRIMARY KEY, position INTEGER) WITHOUT ROWID;
"""
OF_ROWS = ("labels", "notes", "stars")


@dataclass(frozen=True)
class Slice:
    """A saved filter: its name, and the filter as JSON."""

    name: str
    filter: str


def notes_path() -> Path:
    """The file of the notes, beside the runs."""
    return root_folder() / NOTES_FILE


def open_notes() -> Notes:
    """The notes beside the runs."""
    return Notes(notes_path())


class Notes:
    """The store. Every call is one transaction on a connection of its own: any thread or process may call.

    What a call wrote is on the disk when it returns.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_name(f"{path.name}.lock"), timeout=BUSY_SECONDS), self._connection() as made:
            made.execute("PRAGMA journal_mode = WAL")
            made.executescript(SCHEMA)

    # --- labels ------------------------------------------------------------------------------------

    def add_label(self, run_id: str, row: int, label: str) -> None:
        """Give a row a label, and add it to the list of labels when it is new there."""
        label = checked(label, "label")
        with self._writing() as store:
            store.execute("INSERT OR IGNORE INTO labels VALUES (?, ?, ?, ?)", (run_id, row, label, now()))
            _list_label(store, label)

    def remove_label(self, run_id: str, row: int, label: str) -> None:
        """Take a label from a row."""
        with self._writing() as store:
            store.execute(
                "DELETE FROM labels WHERE run_id = ? AND row = ? AND label = ?", (run_id, row, label)
            )

    def labels(self, run_id: str) -> dict[int, tuple[str, ...]]:
        """The labels of every row that has some, in the order of the alphabet."""
        found: dict[int, tuple[str, ...]] = {}
        for row, label in self._read(
            "SELECT row, label FROM labels WHERE run_id = ? ORDER BY row, label", (run_id,)
        ):
            found[row] = (*found.get(row, ()), label)
        return found

    def label_list(self) -> tuple[str, ...]:
        """The labels on offer, in the order in which they were made."""
        return tuple(
            label for (label,) in self._read("SELECT label FROM label_list ORDER BY position, label")
        )

    def list_label(self, label: str) -> None:
        """Offer a label."""
        label = checked(label, "label")
        with self._writing() as store:
            _list_label(store, label)

    def unlist_label(self, label: str) -> None:
        """Offer a label no more; rows that have it keep it."""
        with self._writing() as store:
            store.execute("DELETE FROM label_list WHERE label = ?", (label,))

    # --- notes and stars ---------------------------------------------------------------------------

    def write_note(self, run_id: str, row: int, note: str) -> None:
        """Set the note of a row; a blank one removes it."""
        with self._writing() as store:
            if note.strip():
                note = checked(note, "note")
                store.execute("INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?)", (run_id, row, note, now()))
            else:
                store.execute("DELETE FROM notes WHERE run_id = ? AND row = ?", (run_id, row))

    def notes(self, run_id: str) -> dict[int, str]:
        """The notes by row."""
        return dict(self._read("SELECT row, note FROM notes WHERE run_id = ? ORDER BY row", (run_id,)))

    def set_star(self, run_id: str, row: int, is_starred: bool) -> None:
        """Star a row, or take its star."""
        with self._writing() as store:
            if is_starred:
                store.execute("INSERT OR IGNORE INTO stars VALUES (?, ?, ?)", (run_id, row, now()))
            else:
                store.execute("DELETE FROM stars WHERE run_id = ? AND row = ?", (run_id, row))

    def stars(self, run_id: str) -> tuple[int, ...]:
        """The rows that have a star."""
        return tuple(row for (row,) in self._read("SELECT row FROM stars WHERE run_id = ?", (run_id,)))

    # --- slices ------------------------------------------------------------------------------------

    def save_slice(self, run_id: str, name: str, filter_json: str) -> None:
        """Save a filter under a name; one of that name is replaced."""
        name = checked(name, "name of a slice")
        with self._writing() as store:
            store.execute(
                "INSERT OR REPLACE INTO slices VALUES (?, ?, ?, ?)", (run_id, name, filter_json, now())
            )

    def slices(self, run_id: str) -> tuple[Slice, ...]:
        """The saved filters of a run, by name."""
        rows = self._read("SELECT name, filter FROM slices WHERE run_id = ? ORDER BY name", (run_id,))
        return tuple(Slice(*row) for row in rows)

    def delete_slice(self, run_id: str, name: str) -> None:
        """Delete a saved filter."""
        with self._writing() as store:
            store.execute("DELETE FROM slices WHERE run_id = ? AND name = ?", (run_id, name))

    # --- runs --------------------------------------------------------------------------------------

    def count(self, run_id: str) -> int:
        """How many labels, notes and stars a run has."""
        return sum(
            self._read(f"SELECT count(*) FROM {table} WHERE run_id = ?", (run_id,))[0][0] for table in OF_ROWS
        )

    def forget(self, run_id: str) -> None:
        """Delete everything that was said of a run."""
        with self._writing() as store:
            for table in (*OF_ROWS, "slices"):
                store.execute(f"DELETE FROM {table} WHERE run_id = ?", (run_id,))

    # --- connections -------------------------------------------------------------------------------

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that waits for its turn before it begins, and is whole or not at all."""
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _read(self, query: str, values: Sequence[object] = ()) -> list[tuple]:
        with self._connection() as connection:
            return connection.execute(query, values).fetchall()


def _list_label(store: sqlite3.Connection, label: str) -> None:
    store.execute(
        "INSERT OR IGNORE INTO label_list SELECT ?, coalesce(max(position), 0) + 1 FROM label_list", (label,)
    )


def checked(text: str, what: str) -> str:
    """A text as it may be stored, trimmed. ValueError when it is blank, or too long, or no text."""
    text = text.strip()
    if not text:
        raise ValueError(f"the {what} is empty; type at least one letter")
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"the {what} has {len(text):,} characters; accepted are at most {MOST_CHARACTERS:,}")
    return text.encode("utf-8", "replace").decode("utf-8")
