package dev.colony.library.game;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.author.JsonSchemaCheck;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.Param;
import dev.colony.blackboard.value.Text;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A deliberation as it stands on the blackboard: a game, who is asked for a move, and what was
 * moved. Pure: the moderator asks the players and tells what they answered.
 *
 * <p>Each question has a turn and an attempt, which name the run that answers it. So an answer to
 * an earlier question counts for nothing, and one question has one answer, whatever dies in
 * between.
 *
 * @param turn how often players were asked to move
 * @param open the questions of this turn; empty between two turns
 * @param moves all so far, in the order in which they were made
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record Deliberation(
    Setup setup,
    JsonNode game,
    int turn,
    List<Question> open,
    List<Moved> moves,
    Optional<Verdict> verdict) {

  public static final int MOST_PLAYERS = 8;
  public static final int MOST_ROUNDS = 20;

  /** How often a player is asked for a legal move before it forfeits. */
  static final int ATTEMPTS = 3;

  /**
   * What is deliberated by whom.
   *
   * @param protocol the registered name of the game's rules
   * @param rounds how many at most, 1 to {@value #MOST_ROUNDS}
   * @param seconds that each move may take
   * @param judge the agent that decides where the game has no outcome; empty for a model
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Setup(
      String protocol,
      JsonNode subject,
      List<String> players,
      int rounds,
      int seconds,
      Optional<String> judge) {

    public Setup {
      players = List.copyOf(players);
      if (players.size() < 2 || players.size() > MOST_PLAYERS) {
        throw new IllegalArgumentException(
            "2 to %d agents deliberate, not %d".formatted(MOST_PLAYERS, players.size()));
      }
      if (players.stream().distinct().count() < players.size()) {
        throw new IllegalArgumentException("an agent is invited twice among " + players);
      }
      if (rounds < 1 || rounds > MOST_ROUNDS) {
        throw new IllegalArgumentException(
            "rounds must be 1 to %d, but is %d".formatted(MOST_ROUNDS, rounds));
      }
    }
  }

  /**
   * A player is asked for its move, or the judge for its verdict.
   *
   * @param attempt from 1
   * @param until when it forfeits
   * @param refused why its last attempt was
   * @param move its answer; empty as long as there is none
   * @param forfeit why it makes no move
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Question(
      String player,
      int attempt,
      Instant until,
      Optional<String> refused,
      Optional<JsonNode> move,
      Optional<String> forfeit) {

    public Question {
      move = move.filter(made -> !made.isNull());
    }

    static Question first(String player, Instant until) {
      return new Question(player, 1, until, Optional.empty(), Optional.empty(), Optional.empty());
    }

    public boolean waits() {
      return move.isEmpty() && forfeit.isEmpty();
    }

    private Question move(JsonNode made) {
      return new Question(player, attempt, until, refused, Optional.of(made), forfeit);
    }

    private Question forfeit(String why) {
      return new Question(player, attempt, until, refused, move, Optional.of(why));
    }

    private Question again(String why) {
      return new Question(player, attempt + 1, until, Optional.of(why), move, forfeit);
    }
  }

  /**
   * What a player did in its turn.
   *
   * @param move JSON null where it forfeited
   * @param forfeit why it did; empty where it moved
   */
  public record Moved(int round, String player, JsonNode move, String forfeit) {}

  /**
   * What the judge says.
   *
   * @param winner a player; empty where none has won
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Verdict(
      @Param("what is decided, in one or two sentences") String decision,
      @Param("the name of the player that has won; absent if none has") Optional<String> winner,
      @Param("the reasons, by what the players have said") String reasons) {}

  /** What is to be done next. */
  public enum Next {
    /** Ask those who may move. */
    ASK,
    /** Wait for the answers to the open questions. */
    WAIT,
    /** Ask the judge. */
    JUDGE,
    OVER
  }

  /**
   * @throws IllegalArgumentException on one line, if the protocol is not for so many players
   */
  public static Deliberation begin(GameProtocol protocol, Setup setup) {
    return new Deliberation(
        setup, protocol.begin(setup.players()), 0, List.of(), List.of(), Optional.empty());
  }

  public Next next(GameProtocol protocol) {
    if (!open.isEmpty()) {
      return Next.WAIT;
    }
    if (!protocol.movers(game).isEmpty() && protocol.round(game) <= setup.rounds()) {
      return Next.ASK;
    }
    return protocol.outcome(game).isPresent() || verdict.isPresent() ? Next.OVER : Next.JUDGE;
  }

  /** Opens a question for each who may move. */
  public Deliberation ask(GameProtocol protocol, Instant now) {
    Instant until = now.plusSeconds(setup.seconds());
    List<Question> questions =
        protocol.movers(game).stream().map(player -> Question.first(player, until)).toList();
    return new Deliberation(setup, game, turn + 1, questions, moves, verdict);
  }

  /** Names the run that answers a question. */
  public RunId run(String deliberation, Question question) {
    return new RunId("%s.%d.%d".formatted(deliberation, turn, question.attempt()));
  }

  /** The player's run for its question has ended: its output is the move. */
  public Deliberation answered(GameProtocol protocol, String player, AgentRun run) {
    return each(
            player,
            question -> {
              Optional<String> fault = fault(protocol, player, run);
              if (fault.isEmpty()) {
                return question.move(run.output());
              }
              return question.attempt() < ATTEMPTS
                  ? question.again(fault.get())
                  : question.forfeit(
                      "made no legal move in %d attempts: %s".formatted(ATTEMPTS, fault.get()));
            })
        .settled(protocol);
  }

  /** The player's time is over. */
  public Deliberation silent(GameProtocol protocol, String player) {
    return each(
            player,
            question -> question.forfeit("made no move within " + setup.seconds() + " seconds"))
        .settled(protocol);
  }

  public Deliberation judged(Verdict said) {
    return new Deliberation(setup, game, turn, open, moves, Optional.of(said));
  }

  private Optional<String> fault(GameProtocol protocol, String player, AgentRun run) {
    if (run.status() != AgentRun.Status.COMPLETED) {
      return Optional.of("your run is " + run.status() + run.error().map(": "::concat).orElse(""));
    }
    try {
      List<String> wrong =
          JsonSchemaCheck.of(protocol.moves(game, player)).violations(run.output());
      return wrong.isEmpty()
          ? protocol.illegal(game, player, run.output())
          : Optional.of(String.join("; ", wrong));
    } catch (IllegalArgumentException unfit) {
      return Optional.of(Text.message(unfit));
    }
  }

  private interface Change {
    Question of(Question question);
  }

  private Deliberation each(String player, Change change) {
    List<Question> changed =
        open.stream()
            .map(one -> one.player().equals(player) && one.waits() ? change.of(one) : one)
            .toList();
    return new Deliberation(setup, game, turn, changed, moves, verdict);
  }

  /** Makes the moves of the turn, once all have answered. */
  private Deliberation settled(GameProtocol protocol) {
    if (open.stream().anyMatch(Question::waits)) {
      return this;
    }
    JsonNode state = game;
    List<Moved> made = new ArrayList<>(moves);
    int round = protocol.round(game);
    for (Question question : open) {
      String player = question.player();
      JsonNode move = question.move().orElseGet(JsonNodeFactory.instance::nullNode);
      made.add(new Moved(round, player, move, question.forfeit().orElse("")));
      state =
          question.move().isPresent()
              ? protocol.next(state, player, move)
              : protocol.forfeit(state, player);
    }
    return new Deliberation(setup, state, turn, List.of(), List.copyOf(made), verdict);
  }

  /**
   * What it came to, for who began it.
   *
   * @param key where the whole of it stands
   */
  public ObjectNode result(GameProtocol protocol, String key) {
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    protocol.outcome(game).ifPresent(outcome -> result.set("outcome", outcome));
    verdict.ifPresent(said -> result.set("verdict", JsonValues.toJson(said)));
    result.put("rounds", Math.min(protocol.round(game), setup.rounds()));
    result.put("moves", moves.size());
    moves.stream()
        .filter(one -> !one.forfeit().isEmpty())
        .forEach(one ->
            result
                .withArray("forfeits")
                .addObject()
                .put("player", one.player())
                .put("round", one.round())
                .put("why", one.forfeit()));
    return result.put("transcript", key);
  }
}
