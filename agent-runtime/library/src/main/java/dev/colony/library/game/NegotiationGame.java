package dev.colony.library.game;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.author.JsonSchemas;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import java.util.List;
import java.util.Optional;

/**
 * Two players in turn propose terms, until one accepts those of the other or rejects them for good.
 */
@Registered(
    value = "game.negotiation",
    summary = "Two players propose terms in turn until one accepts or rejects them.")
public final class NegotiationGame implements GameProtocol {

  /** Proposals of both sides together; then the last one is accepted or rejected. */
  public static final int MOST_PROPOSALS = 20;

  /** What a player does. */
  public enum Kind {
    PROPOSE,
    ACCEPT,
    REJECT
  }

  /** Where it stands. */
  public enum Standing {
    OPEN,
    AGREED,
    REJECTED
  }

  /**
   * A move.
   *
   * @param terms of a proposal; of no other move
   */
  record Move(
      @Param("PROPOSE terms; ACCEPT or REJECT those of the other, which ends the negotiation")
          Kind move,
      @Param("the terms that you propose, any JSON; absent when you accept or reject")
          Optional<JsonNode> terms,
      @Param("why, in a sentence or two; the other reads it") Optional<String> why) {

    Move {
      terms = terms.filter(given -> !given.isNull());
    }
  }

  /**
   * A state.
   *
   * @param proposals how many there were
   * @param terms those proposed last; JSON null where there are none
   * @param by who proposed them
   * @param why what was said with them
   * @param turn whose move it is, or would be
   */
  private record State(
      List<String> players,
      Standing standing,
      int proposals,
      JsonNode terms,
      String by,
      String why,
      String turn) {

    static State of(JsonNode json) {
      return (State) JsonValues.read(json, State.class);
    }

    State with(Standing next, int count, JsonNode offer, String from, String said, String mover) {
      return new State(players, next, count, offer, from, said, mover);
    }
  }

  @Override
  public String rules() {
    return "You negotiate. The players propose terms in turn. Accept terms that serve you better"
        + " than no agreement; otherwise propose others that the other side can accept, and say"
        + " why. After %d proposals the last one is accepted or rejected."
            .formatted(MOST_PROPOSALS);
  }

  @Override
  public JsonNode begin(List<String> players) {
    if (players.size() != 2) {
      throw new IllegalArgumentException("two negotiate, not " + players.size());
    }
    return JsonValues.toJson(
        new State(
            players,
            Standing.OPEN,
            0,
            JsonNodeFactory.instance.nullNode(),
            "",
            "",
            players.getFirst()));
  }

  @Override
  public List<String> movers(JsonNode state) {
    State now = State.of(state);
    return now.standing() == Standing.OPEN ? List.of(now.turn()) : List.of();
  }

  @Override
  public int round(JsonNode state) {
    return State.of(state).proposals() / 2 + 1;
  }

  @Override
  public JsonNode moves(JsonNode state, String player) {
    return JsonSchemas.input(Move.class);
  }

  @Override
  public Optional<String> illegal(JsonNode state, String player, JsonNode move) {
    State now = State.of(state);
    Move made = (Move) JsonValues.read(move, Move.class);
    return illegal(now.proposals(), made.move(), made.terms().isPresent());
  }

  /**
   * Why a move is not legal, whoever keeps the state.
   *
   * @param proposals how many there were
   * @param terms whether it comes with terms
   */
  public static Optional<String> illegal(int proposals, Kind move, boolean terms) {
    return switch (move) {
      case PROPOSE -> {
        if (!terms) {
          yield Optional.of("a proposal needs terms");
        }
        yield proposals < MOST_PROPOSALS
            ? Optional.empty()
            : Optional.of(
                "a negotiation has at most %d proposals: accept the last one or reject it"
                    .formatted(MOST_PROPOSALS));
      }
      case ACCEPT, REJECT ->
          proposals > 0 ? Optional.empty() : Optional.of("there is no proposal yet: propose terms");
    };
  }

  @Override
  public JsonNode next(JsonNode state, String player, JsonNode move) {
    State now = State.of(state);
    Move made = (Move) JsonValues.read(move, Move.class);
    String why = made.why().orElse("");
    String other =
        now.players().stream().filter(one -> !one.equals(player)).findFirst().orElseThrow();
    return JsonValues.toJson(
        switch (made.move()) {
          case PROPOSE ->
              now.with(
                  Standing.OPEN,
                  now.proposals() + 1,
                  made.terms().orElseThrow(),
                  player,
                  why,
                  other);
          case ACCEPT -> ended(now, Standing.AGREED, why);
          case REJECT -> ended(now, Standing.REJECTED, why);
        });
  }

  private static State ended(State now, Standing standing, String why) {
    return now.with(standing, now.proposals(), now.terms(), now.by(), why, now.turn());
  }

  /** Who says nothing does not agree. */
  @Override
  public JsonNode forfeit(JsonNode state, String player) {
    return JsonValues.toJson(
        ended(State.of(state), Standing.REJECTED, player + " made no move in time"));
  }

  @Override
  public Optional<JsonNode> outcome(JsonNode state) {
    State now = State.of(state);
    if (now.standing() == Standing.OPEN) {
      return Optional.empty();
    }
    ObjectNode outcome = JsonNodeFactory.instance.objectNode();
    outcome.put("standing", now.standing().name());
    outcome.set("terms", now.terms());
    return Optional.of(outcome.put("proposedBy", now.by()).put("why", now.why()));
  }
}
