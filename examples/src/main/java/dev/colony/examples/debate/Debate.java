package dev.colony.examples.debate;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.Session;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.library.context.ContextRole;
import dev.colony.library.context.ContextSettings;
import dev.colony.library.context.Stage;
import dev.colony.library.context.StageCapability;
import dev.colony.library.context.StageKind;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;

/** Two workers debate a question, a judge rules; all of it within one session. */
public final class Debate {

  private static final String TENANT = "local";
  private static final String COLONY = "examples";
  private static final String NAMESPACE = "debate";
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final Blackboards blackboards;
  private final Colony colony;
  private final String name;

  /**
   * @param name of the debate; one of the same name goes on where it was
   */
  public Debate(Blackboards blackboards, Colony colony, String name) {
    this.blackboards = blackboards;
    this.colony = colony;
    this.name = name;
  }

  /**
   * Runs it to its verdict; blocks.
   *
   * @param rounds in each of which both workers speak
   * @param heard told each line as it is said
   * @return the session with its totals
   */
  public Session run(String question, int rounds, Consumer<String> heard) {
    SessionId session = new SessionId(name);
    colony.sessions(TENANT, COLONY).open(session, "example").toCompletableFuture().join();
    Stage stage = new Stage(blackboards.open(stage(), "host"), ContextSettings.DEFAULTS);
    stage.enter(StageKind.GOAL, "host", question);
    stage.enter(StageKind.WORLD, "host", "A panel of two before a judge.");
    AgentHandle ada = worker("Ada", "You are Ada. You speak for it.");
    AgentHandle bob = worker("Bob", "You are Bob. You speak against it.");
    AgentHandle judge =
        spawn(
            "judge",
            AgentBlueprint.of(SpeakerPolicy.class, SpeakerPolicy.Args.JUDGE)
                .capability(
                    StageCapability.bind(
                        stage(),
                        "You are the judge. You weigh what was said.",
                        ContextRole.judge())));
    for (int round = 0; round < rounds; round++) {
      heard.accept("Ada: " + turn(ada, session));
      heard.accept("Bob: " + turn(bob, session));
    }
    heard.accept("The judge: " + turn(judge, session));
    colony
        .sessions(TENANT, COLONY)
        .close(session, "example", "the judge has ruled")
        .toCompletableFuture()
        .join();
    return colony.sessions(TENANT, COLONY).get(session).toCompletableFuture().join().orElseThrow();
  }

  private Scope stage() {
    return Scope.colony(TENANT, COLONY).namespace("stage-" + name);
  }

  private AgentHandle worker(String who, String persona) {
    return spawn(
        who.toLowerCase(Locale.ROOT),
        AgentBlueprint.of(SpeakerPolicy.class, SpeakerPolicy.Args.WORKER)
            .capability(StageCapability.bind(stage(), who, persona, ContextRole.worker())));
  }

  private AgentHandle spawn(String who, AgentBlueprint blueprint) {
    return colony
        .spawn(new AgentId(TENANT, COLONY, name + "-" + who), blueprint)
        .toCompletableFuture()
        .join();
  }

  private static String turn(AgentHandle speaker, SessionId session) {
    AgentRun run =
        speaker
            .run(
                JsonNodeFactory.instance.objectNode(),
                RunOptions.namespace(NAMESPACE).session(session).timeout(PATIENCE))
            .result()
            .toCompletableFuture()
            .join();
    return run.error().map(error -> "(" + error + ")").orElseGet(() -> run.output().asText());
  }
}
