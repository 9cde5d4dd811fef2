package dev.colony.library.capability;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.Registered;
import dev.colony.agent.client.AgentHandle;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.game.Deliberation;
import dev.colony.library.game.Deliberation.Question;
import dev.colony.library.game.Deliberation.Setup;
import dev.colony.library.game.Deliberation.Verdict;
import dev.colony.library.game.GamePrompt;
import dev.colony.library.game.GameProtocol;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Leads a deliberation: its run's input is the {@link Setup}, its result what it came to. All of it
 * stands on the colony's blackboard, namespace {@value #NAMESPACE}, under {@code game:MODERATOR},
 * and changes by writes on the condition of its version; so the moderator goes on from there on any
 * node. While players think the moderator is suspended.
 */
@Registered(
    value = ModeratorPolicy.TYPE,
    summary = "Leads a deliberation of other agents by the rules of a game.")
final class ModeratorPolicy extends BaseActionPolicy {

  static final String TYPE = "deliberation.moderator";

  /** Of the colony's scope, where deliberations stand, and of each player's, where it is asked. */
  static final String NAMESPACE = "deliberation";

  private static final String GAME = "game:";
  private static final Duration KEPT = Duration.ofDays(30);
  private static final AgentRunProtocol RUNS = new AgentRunProtocol();

  /** A deliberation and the version of its entry. */
  private record Standing(Deliberation now, long version) {}

  ModeratorPolicy(PolicyContext context) {
    super(context);
  }

  /**
   * The rules of a name.
   *
   * @throws AgentException if there are none
   */
  static GameProtocol protocol(String name) {
    AgentTypes types = AgentTypes.installed();
    return types.create(GameProtocol.class, Blueprint.of(name), types);
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) {
    Setup setup = (Setup) JsonValues.read(state.request().input(), Setup.class);
    GameProtocol protocol = protocol(setup.protocol());
    Blackboard board =
        agent().blackboard(Scope.colony(tenant(), agent().id().colony()).namespace(NAMESPACE));
    String key = GAME + agent().id().name();
    Standing standing = standing(board, key, protocol, setup);
    Deliberation now = standing.now();
    Instant time = board.clock().instant();
    return switch (now.next(protocol)) {
      case ASK -> changed(board, key, standing, now.ask(protocol, time));
      case WAIT -> {
        Deliberation heard = heard(protocol, now, state.request().runId(), time);
        yield heard.equals(now)
            ? waits(now, state.request().runId())
            : changed(board, key, standing, heard);
      }
      case JUDGE -> judged(board, key, protocol, standing, state, time);
      case OVER -> {
        Await.result(board.write(Write.of(key, JsonValues.toJson(now)).ttl(KEPT)));
        yield Decision.Complete.with(now.result(protocol, board.scope().path() + "/" + key));
      }
    };
  }

  private String tenant() {
    return agent().id().tenant();
  }

  private static Standing standing(
      Blackboard board, String key, GameProtocol protocol, Setup setup) {
    Optional<Entry> there = Await.result(board.read(key));
    if (there.isPresent()) {
      return new Standing(
          (Deliberation) JsonValues.read(there.get().value(), Deliberation.class),
          there.get().version());
    }
    return new Standing(Deliberation.begin(protocol, setup), 0);
  }

  /** Where an earlier incarnation was faster, what that has written counts. */
  private static Decision changed(Blackboard board, String key, Standing from, Deliberation to) {
    Write write = Write.of(key, JsonValues.toJson(to)).expectVersion(from.version());
    return switch (Await.result(board.write(write))) {
      case WriteResult.Written written -> new Decision.Skip();
      case WriteResult.VersionConflict other -> new Decision.Skip();
    };
  }

  /** Asks those who were not asked yet, and takes the answers that are there. */
  private Deliberation heard(GameProtocol protocol, Deliberation now, RunId own, Instant time) {
    Deliberation heard = now;
    for (Question question : now.open()) {
      if (question.waits()) {
        RunId run = now.run(own.value(), question);
        AgentHandle player = player(question.player());
        Optional<AgentRun> ended = Await.result(player.ended(run, options()));
        if (ended.isPresent()) {
          heard = heard.answered(protocol, question.player(), ended.get());
        } else if (!time.isBefore(question.until())) {
          Await.result(player.cancel(run, options(), "its time to move is over"));
          heard = heard.silent(protocol, question.player());
        } else {
          Await.result(
              player.run(GamePrompt.turn(now, protocol, question), options().runId(run)).stored());
        }
      }
    }
    return heard;
  }

  private Decision waits(Deliberation now, RunId own) {
    List<ResumptionCondition> any = new ArrayList<>();
    List<String> players = new ArrayList<>();
    for (Question question : now.open()) {
      if (question.waits()) {
        any.add(answer(question.player(), now.run(own.value(), question)));
        any.add(new ResumptionCondition.At(question.until()));
        players.add(question.player());
      }
    }
    return Decision.blocked(
        "waits for the moves of " + String.join(", ", players), new ResumptionCondition.AnyOf(any));
  }

  private ResumptionCondition answer(String player, RunId run) {
    return new ResumptionCondition.Event(
        id(player).scope().namespace(NAMESPACE),
        new KeyGlob(RUNS.resultKey(run.value())),
        Optional.of(Position.BEGINNING));
  }

  /** By the judge that was named, or by a model. */
  private Decision judged(
      Blackboard board,
      String key,
      GameProtocol protocol,
      Standing standing,
      ActionPolicyExecutionState state,
      Instant time) {
    Deliberation now = standing.now();
    if (now.setup().judge().isEmpty()) {
      Inquiry inquiry =
          new Inquiry(
              GamePrompt.criteria(protocol),
              Map.of("subject", now.setup().subject(), "moves", GamePrompt.moves(now)),
              GamePrompt.judges(now));
      Verdict verdict =
          inquiry.ask(agent(), "judge", Verdict.class, said -> GamePrompt.fault(now, said));
      return changed(board, key, standing, now.judged(verdict));
    }
    String judge = now.setup().judge().get();
    RunId run = new RunId(state.request().runId().value() + ".judge");
    ObjectNode asked = state.custom();
    if (!asked.has("judgeUntil")) {
      // Durable before the judge is asked, so that its time does not begin anew.
      asked.put("judgeUntil", time.plusSeconds(now.setup().seconds()).toString());
      return new Decision.Skip();
    }
    Instant until = Instant.parse(asked.path("judgeUntil").asText());
    Optional<AgentRun> ended = Await.result(player(judge).ended(run, options()));
    if (ended.isEmpty() && time.isBefore(until)) {
      Await.result(
          player(judge).run(GamePrompt.judge(now, protocol), options().runId(run)).stored());
      return Decision.blocked(
          "waits for the verdict of " + judge,
          ResumptionCondition.any(answer(judge, run), new ResumptionCondition.At(until)));
    }
    if (ended.isEmpty()) {
      Await.result(player(judge).cancel(run, options(), "its time to judge is over"));
    }
    return changed(board, key, standing, now.judged(verdict(now, judge, ended)));
  }

  /** A judge that does not judge leaves it undecided, and that is told. */
  private static Verdict verdict(Deliberation now, String judge, Optional<AgentRun> ended) {
    if (ended.isEmpty()) {
      return undecided(judge + " gave no verdict in " + now.setup().seconds() + " seconds");
    }
    AgentRun run = ended.get();
    if (run.status() != AgentRun.Status.COMPLETED) {
      return undecided(judge + " gave no verdict: " + run.error().orElse(""));
    }
    try {
      Verdict said = (Verdict) JsonValues.read(run.output(), Verdict.class);
      return GamePrompt.fault(now, said).map(ModeratorPolicy::undecided).orElse(said);
    } catch (IllegalArgumentException unfit) {
      return undecided(judge + " gave no verdict that can be read: " + unfit.getMessage());
    }
  }

  private static Verdict undecided(String why) {
    return new Verdict("undecided", Optional.empty(), why);
  }

  private AgentHandle player(String name) {
    return agent().colony().agent(id(name));
  }

  private AgentId id(String name) {
    return new AgentId(tenant(), agent().id().colony(), name);
  }

  private RunOptions options() {
    return RunOptions.namespace(NAMESPACE).requestedBy(agent().id().persistenceId());
  }
}
