package dev.colony.blackboard;

import java.util.List;
import java.util.Optional;

/**
 * Some of the entries that a query finds, ordered by the bytes of their keys.
 *
 * @param next where the next page begins; empty if there is none. A page may be short, even empty,
 *     and yet have a next one
 */
public record EntryPage(List<Entry> entries, Optional<Query.Cursor> next) {}
