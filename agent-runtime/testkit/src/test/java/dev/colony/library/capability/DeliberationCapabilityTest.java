package dev.colony.library.capability;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.library.capability.DeliberationCapability.Roles;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy.Script;
import dev.colony.library.policy.ScriptedRule;
import dev.colony.testkit.Expectation;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestColony;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Agents deliberate, by rules that hold them and before judges that decide. */
public class DeliberationCapabilityTest {

  private static final RunOptions OPTIONS =
      RunOptions.namespace("test").timeout(Duration.ofMinutes(2));

  @Test
  void twoAgentsNegotiateAndTheLeadHasTheTerms() {
    try (TestColony colony = TestColony.inMemory().start()) {
      colony.spawn("ann", says(Map.of("move", "PROPOSE", "terms", Map.of("price", 9))));
      colony.spawn("ben", says(Map.of("move", "ACCEPT", "why", "fair")));
      AgentRun run =
          colony
              .spawn(
                  "lead",
                  lead(
                      "protocol",
                      "game.negotiation",
                      "subject",
                      "the price",
                      "invite",
                      List.of("ann", "ben")))
              .run(Map.of(), OPTIONS)
              .join();
      assertThat(run.output().path("outcome").path("standing").asText()).isEqualTo("AGREED");
      assertThat(run.output().path("outcome").path("terms").path("price").asInt()).isEqualTo(9);
      assertThat(run.output().path("moves").asInt()).isEqualTo(2);
      // The whole of it stands where all agents of the colony can read it.
      Scope scope = Scope.colony(TestColony.NAME, TestColony.NAME).namespace("deliberation");
      JsonNode stands =
          colony
              .blackboards()
              .open(scope, "test")
              .query(Query.keys("game:lead.moderator-*"))
              .toCompletableFuture()
              .join()
              .entries()
              .getFirst()
              .value();
      assertThat(stands.path("moves").path(1).path("player").asText()).isEqualTo("ben");
    }
  }

  @Test
  void aPlannerHasADebateJudgedAndItsPlayersAreModels() {
    try (FakeModel model = FakeModel.start();
        TestColony colony = TestColony.inMemory().model(model).start()) {
      // guide: deliberation
      AgentBlueprint lead =
          AgentBlueprint.of(MinimalActionPolicy.class)
              .capability(
                  DeliberationCapability.class,
                  Roles.of(Map.of("architects", List.of("ann", "ben"))));

      AgentBlueprint architect =
          AgentBlueprint.of(
              MinimalActionPolicy.class, PlannerArgs.NONE.role("You are a careful architect."));
      // guide end
      colony.spawn("ann", architect);
      colony.spawn("ben", architect);
      Map<String, Object> debate =
          Map.of(
              "protocol",
              "game.debate",
              "subject",
              "one service or two?",
              "invite",
              List.of("architects"),
              "rounds",
              1);
      model.expect("Have it decided", "deliberate").act("deliberate", debate);
      model
          .expect("You are ann, one of the players ann, ben.", "one service or two?")
          .complete(Map.of("argument", "one is simpler"));
      model
          .expect("You are ben, one of the players ann, ben.", "one is simpler")
          .complete(Map.of("argument", "two scale apart"));
      model
          .expect("You judge what the players ann, ben have said", "two scale apart")
          .answer(
              Map.of("decision", "one service", "winner", "ann", "reasons", "no load was shown"));
      model.expect("Have it decided", "named a2").act("deliberate", debate);
      model.expect("no load was shown").complete("one service");
      AgentRun run =
          colony.spawn("lead", lead).run(Map.of("goals", "Have it decided"), OPTIONS).join();
      assertThat(run.error()).isEmpty();
      assertThat(run.output().asText()).isEqualTo("one service");
    }
  }

  @Test
  void anAgentJudgesAndOneThatIsSilentForfeits() {
    try (TestColony colony = TestColony.inMemory().start()) {
      colony.spawn("ann", says(Map.of("argument", "because")));
      colony.spawn("ben", says(Map.of("argument", "but no")));
      colony.spawn("cat", AgentBlueprint.of(ScriptedActionPolicy.class, silent()));
      colony.spawn("judge", says(Map.of("decision", "so be it", "winner", "ben", "reasons", "r")));
      AgentRun run =
          colony
              .spawn(
                  "lead",
                  lead(
                      "protocol",
                      "game.debate",
                      "subject",
                      Map.of("question", "tabs?"),
                      "invite",
                      List.of("ann", "ben", "cat"),
                      "rounds",
                      1,
                      "seconds",
                      5,
                      "judge",
                      "judge"))
              .run(Map.of(), OPTIONS)
              .join();
      assertThat(run.output().path("verdict").path("winner").asText()).isEqualTo("ben");
      assertThat(run.output().path("forfeits"))
          .singleElement()
          .satisfies(one -> {
            assertThat(one.path("player").asText()).isEqualTo("cat");
            assertThat(one.path("why").asText()).isEqualTo("made no move within 5 seconds");
          });
    }
  }

  @Test
  void whatBreaksTheRulesIsAskedForAgainAndThenForfeits() {
    try (TestColony colony = TestColony.inMemory().start()) {
      colony.spawn("ann", says(Map.of("move", "ACCEPT")));
      colony.spawn("ben", says(Map.of("move", "ACCEPT")));
      AgentRun run =
          colony
              .spawn(
                  "lead",
                  lead(
                      "protocol",
                      "game.negotiation",
                      "subject",
                      "the price",
                      "invite",
                      List.of("ann", "ben")))
              .run(Map.of(), OPTIONS)
              .join();
      assertThat(run.output().path("outcome").path("standing").asText()).isEqualTo("REJECTED");
      assertThat(run.output().path("forfeits").path(0).path("why").asText())
          .contains("made no legal move in 3 attempts: there is no proposal yet");
    }
  }

  @Test
  void itGoesOnWhereTheNodeOfItsModeratorDies() {
    try (FakeModel model = FakeModel.start();
        TestColony colony = TestColony.inMemory().model(model).start()) {
      colony.spawn("ann", says(Map.of("move", "PROPOSE", "terms", "half")));
      colony.spawn("ben", AgentBlueprint.of(MinimalActionPolicy.class));
      Expectation thinks = model.expect("You are ben").held();
      thinks.complete(Map.of("move", "ACCEPT"));
      // The node that dies may have asked before.
      model.expect("You are ben").anyTimes().complete(Map.of("move", "ACCEPT"));
      RunHandle run =
          colony
              .spawn(
                  "lead",
                  lead(
                      "protocol",
                      "game.negotiation",
                      "subject",
                      "the share",
                      "invite",
                      List.of("ann", "ben")))
              .run(Map.of(), OPTIONS);
      run.stored().join();
      thinks.await();
      colony.crash();
      thinks.release();
      AgentId lead = new AgentId(TestColony.NAME, TestColony.NAME, "lead");
      AgentRun ended = colony.colony().agent(lead).attach(run.runId(), OPTIONS).join();
      assertThat(ended.output().path("outcome").path("standing").asText()).isEqualTo("AGREED");
      assertThat(ended.output().path("moves").asInt()).isEqualTo(2);
    }
  }

  @Test
  void whoCannotBeInvitedIsToldAtOnce() {
    try (TestColony colony = TestColony.inMemory().start()) {
      colony.spawn("ann", says("x"));
      AgentRun run =
          colony
              .spawn(
                  "lead",
                  AgentBlueprint.of(
                          ScriptedActionPolicy.class,
                          Script.of(
                              ScriptedRule.first()
                                  .act(
                                      "deliberate",
                                      "protocol",
                                      "game.debate",
                                      "subject",
                                      "x",
                                      "invite",
                                      List.of("ann", "nobody")),
                              ScriptedRule.after("deliberate").unsuccessful().complete("refused")))
                      .capability(DeliberationCapability.class))
              .run(Map.of(), OPTIONS)
              .join();
      assertThat(run.output().asText()).isEqualTo("refused");
    }
  }

  /** Ends each run with this. */
  private static AgentBlueprint says(Object move) {
    return AgentBlueprint.of(
        ScriptedActionPolicy.class, Script.of(ScriptedRule.first().complete(move)));
  }

  private static Script silent() {
    return Script.of(ScriptedRule.otherwise().idle());
  }

  private static AgentBlueprint lead(Object... params) {
    return AgentBlueprint.of(
            ScriptedActionPolicy.class,
            Script.of(
                ScriptedRule.first().act("deliberate", params),
                ScriptedRule.after("deliberate").succeeded().complete("$deliberation"),
                ScriptedRule.after("deliberate").act("deliberate", params)))
        .capability(DeliberationCapability.class);
  }
}
