package dev.colony.code;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A program that does not do the same when it is executed again after a crash. */
class OtherParametersTest {

  /** Counts the executions of its calls, and sends what it has counted. */
  @Registered("code-test.fickle")
  public static final class Fickle extends BaseActionPolicy {

    private static final AtomicInteger EXECUTIONS = new AtomicInteger();

    public Fickle(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) throws Exception {
      if (state.iterationNum() > 0) {
        return Decision.Complete.with(state.custom().path("came"));
      }
      JournaledCalls calls = new JournaledCalls(agent(), dispatcher(), state, 1);
      for (int number = 1; number <= 3; number++) {
        JsonNode params =
            JsonNodeFactory.instance
                .objectNode()
                .put("line", "execution " + EXECUTIONS.incrementAndGet());
        state.custom().withArray("/came").add(came(calls.call(number, "notes.send", params)));
      }
      return new Decision.Skip();
    }

    private static String came(Cell.Reply reply) {
      return switch (reply) {
        case Cell.Reply.Value value -> value.output().asText();
        case Cell.Reply.Thrown thrown -> thrown.status() + ": " + thrown.message();
        case Cell.Reply.Stop stop -> "stopped";
      };
    }
  }

  /** Nothing outside has happened under one key in two ways, and no call gets another's result. */
  @ParameterizedTest
  @EnumSource(KillPoint.Side.class)
  void whereverTheProcessDies(KillPoint.Side side) {
    AtomicInteger refused = new AtomicInteger();
    KillPoint.walk(
        side,
        point -> {
          Desk.Deeds world = new Desk.Deeds();
          try (TestAgent agent =
              TestAgent.of(
                      AgentBlueprint.of(Blueprint.of("code-test.fickle"))
                          .capability(CapabilityBlueprint.of(Desk.Notes.class).key("notes")))
                  .service(Desk.Deeds.class, world)
                  .killed(point)
                  .start()) {
            AgentRun run = agent.run("go");
            String when = point + ": " + agent.journal();
            assertThat(run.error()).as(when).isEmpty();
            assertThat(run.output()).as(when).hasSize(3);
            run.output()
                .forEach(came -> {
                  if (came.asText().startsWith("refused: ")) {
                    refused.incrementAndGet();
                    assertThat(came.asText())
                        .as(when)
                        .matches(
                            "refused: under this id the step (executed|began) notes.send \\{.*\\}"
                                + " before a crash, and not notes.send \\{.*\\}");
                  } else {
                    assertThat(came.asText()).as(when).startsWith("sent execution ");
                  }
                });
            Map<String, Set<Object>> done =
                world.all("send").stream()
                    .collect(
                        Collectors.groupingBy(
                            Desk.Deeds.Deed::idempotencyKey,
                            Collectors.mapping(Desk.Deeds.Deed::what, Collectors.toSet())));
            assertThat(done).as(when).allSatisfy((key, ways) -> assertThat(ways).hasSize(1));
          }
        });
    assertThat(refused).as("calls that asked for something else").hasPositiveValue();
  }
}
