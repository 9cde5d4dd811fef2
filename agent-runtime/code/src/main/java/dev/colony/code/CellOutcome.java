package dev.colony.code;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a cell has come to.
 *
 * @param printed at most {@code output-chars}
 * @param more whether it has printed more than that
 * @param error on one line with its line number; empty for a cell that has ended well
 * @param changed the variables that it has made, changed or, where empty, removed; none of a cell
 *     that did not come to its end by itself
 * @param unkept the variables that cannot be kept, each with the reason
 * @param completed the result with which it has ended the run
 * @param calls how many it has made
 * @param stopped whether one of them has ended it
 */
record CellOutcome(
    String printed,
    boolean more,
    Optional<String> error,
    Map<String, Optional<JsonNode>> changed,
    List<String> unkept,
    Optional<JsonNode> completed,
    int calls,
    boolean stopped) {}
