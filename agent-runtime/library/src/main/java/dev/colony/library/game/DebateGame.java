package dev.colony.library.game;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.author.JsonSchemas;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import java.util.List;
import java.util.Optional;

/**
 * The players argue in turn, each once in a round, and hear each other. Who concedes or says
 * nothing is out. A judge decides among those that are left; where one is left, it has won.
 */
@Registered(
    value = "game.debate",
    summary = "Players argue in turn, each once in a round; a judge decides.")
public final class DebateGame implements GameProtocol {

  /** Characters of one argument, at most. */
  static final int MOST_CHARS = 2_000;

  /** A move. */
  record Move(
      @Param("your argument, at most 2000 characters") String argument,
      @Param("true to give up your position: you are out then") Optional<Boolean> concede) {}

  /**
   * A state.
   *
   * @param left the players that are not out
   * @param turn whose move it is among the players: its place
   */
  private record State(List<String> players, List<String> left, int round, int turn) {

    static State of(JsonNode json) {
      return (State) JsonValues.read(json, State.class);
    }

    /** After a move of the player whose turn it is. */
    State after(boolean out) {
      String player = players.get(turn);
      List<String> staying = out ? left.stream().filter(one -> !one.equals(player)).toList() : left;
      int next = turn;
      int nextRound = round;
      do {
        next = (next + 1) % players.size();
        nextRound += next == 0 ? 1 : 0;
      } while (!staying.contains(players.get(next)));
      return new State(players, staying, nextRound, next);
    }
  }

  @Override
  public String rules() {
    return "You debate. The players argue in turn, each once in a round, and a judge decides in the"
        + " end. Say what speaks for your position and answer what the others have said; give"
        + " reasons that a judge can check, and repeat nothing. Concede only if you no longer hold"
        + " your position.";
  }

  @Override
  public JsonNode begin(List<String> players) {
    return JsonValues.toJson(new State(players, players, 1, 0));
  }

  @Override
  public List<String> movers(JsonNode state) {
    State now = State.of(state);
    return now.left().size() > 1 ? List.of(now.players().get(now.turn())) : List.of();
  }

  @Override
  public int round(JsonNode state) {
    return State.of(state).round();
  }

  @Override
  public JsonNode moves(JsonNode state, String player) {
    return JsonSchemas.input(Move.class);
  }

  @Override
  public Optional<String> illegal(JsonNode state, String player, JsonNode move) {
    Move made = (Move) JsonValues.read(move, Move.class);
    int chars = made.argument().length();
    if (chars > MOST_CHARS) {
      return Optional.of(
          "an argument has at most %d characters, but this has %d".formatted(MOST_CHARS, chars));
    }
    return made.argument().isBlank() && !made.concede().orElse(false)
        ? Optional.of("an argument says something, or you concede")
        : Optional.empty();
  }

  @Override
  public JsonNode next(JsonNode state, String player, JsonNode move) {
    Move made = (Move) JsonValues.read(move, Move.class);
    return JsonValues.toJson(State.of(state).after(made.concede().orElse(false)));
  }

  @Override
  public JsonNode forfeit(JsonNode state, String player) {
    return JsonValues.toJson(State.of(state).after(true));
  }

  @Override
  public Optional<JsonNode> outcome(JsonNode state) {
    State now = State.of(state);
    return now.left().size() > 1
        ? Optional.empty()
        : Optional.of(
            JsonNodeFactory.instance
                .objectNode()
                .put("winner", now.left().stream().findFirst().orElse(""))
                .put("why", "the others are out"));
  }
}
