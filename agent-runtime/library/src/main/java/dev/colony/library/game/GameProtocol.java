package dev.colony.library.game;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;

/**
 * The rules of a game. A registered type without arguments, found by its name. Pure and
 * thread-safe: the same state and the same move give the same, on any node, however often; states
 * are JSON and are not changed in place.
 */
public interface GameProtocol {

  /** What a player is to know of the rules, some sentences in the second person. */
  String rules();

  /**
   * The state in which it begins.
   *
   * @param players by name, in their order, at least two
   * @throws IllegalArgumentException on one line, if so many cannot play it
   */
  JsonNode begin(List<String> players);

  /**
   * Who may move next. Of several, each moves without knowing what the others do, and the moves are
   * made in this order. Empty where it is over.
   */
  List<String> movers(JsonNode state);

  /** The round, from 1; it never goes back. */
  int round(JsonNode state);

  /** JSON schema of the moves that a player may make; an object. */
  JsonNode moves(JsonNode state, String player);

  /** Why a move that fits the schema is not legal, one line for the player; empty where it is. */
  Optional<String> illegal(JsonNode state, String player, JsonNode move);

  /** The state after a legal move. */
  JsonNode next(JsonNode state, String player, JsonNode move);

  /** The state after a player whose turn it was made no legal move in time. */
  JsonNode forfeit(JsonNode state, String player);

  /** What it came to by the rules alone; empty where it is not over, or a judge has to say. */
  Optional<JsonNode> outcome(JsonNode state);
}
