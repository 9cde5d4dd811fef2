package dev.colony.node.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.HistoryPage.HistoryEntry;
import dev.colony.agent.client.LifecycleEvent;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestColony;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A run that has paid and failed is rewound to before the payment, and pays once. */
class RewoundPaymentTest {

  private static final RunOptions OPTIONS =
      RunOptions.namespace("test").runId(new RunId("r1")).timeout(Duration.ofMinutes(1));

  private final AtomicBoolean broken = new AtomicBoolean(true);
  private final List<String> paid = new CopyOnWriteArrayList<>();

  /** Says whether what comes behind the payment fails. */
  interface Weather {
    boolean fails();
  }

  /** Looks, pays, and tells what it was given for it, where nothing fails behind the payment. */
  @Registered("faults.careful-payer")
  public static class CarefulPayer extends BaseActionPolicy {

    public CarefulPayer(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      int done = state.history().size();
      if (done < 2) {
        // The second attempt asks for the same under another name.
        String id = (done == 0 ? "first-" : "second-") + state.stats().modelCalls() + salt();
        return new Decision.Act(
            Action.of(id, "purse.pay", JsonNodeFactory.instance.objectNode().put("amount", done)));
      }
      if (agent().service(Weather.class).fails()) {
        throw new IllegalStateException("the line is down");
      }
      return Decision.Complete.with(
          JsonNodeFactory.instance.textNode(state.history().getLast().result().output().asText()));
    }

    private String salt() {
      return agent().service(Weather.class).fails() ? "a" : "b";
    }
  }

  /** Registers the agent's types. */
  public static class Payers implements TypeProvider {

    @Override
    public void register(Types types) {
      types.add(CarefulPayer.class);
      types.add(AmountPurse.class);
    }
  }

  /** Pays an amount through the door of the process. */
  @Registered("faults.amount-purse")
  public static class AmountPurse extends AgentCapability {

    public AmountPurse(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(effect = Effect.EXTERNAL, retryable = true)
    public String pay(int amount, ActionContext context) {
      return agent()
          .service(Outside.Door.class)
          .act(String.valueOf(amount), context.idempotencyKey().value());
    }
  }

  private static final AgentBlueprint PAYER =
      AgentBlueprint.of(Blueprint.of("faults.careful-payer"))
          .capability(CapabilityBlueprint.of(Blueprint.of("faults.amount-purse")).key("purse"));

  private TestColony.Builder colony() {
    return TestColony.inMemory()
        .onlyTypes(new Payers())
        .service(Weather.class, broken::get)
        .service(
            Outside.Door.class,
            (amount, key) -> {
              paid.add(amount + " " + key);
              return "receipt of " + key;
            });
  }

  private static AgentRun fails(AgentHandle agent) {
    AgentRun run = agent.run(JsonNodeFactory.instance.objectNode(), OPTIONS).join();
    assertThat(run.error().orElseThrow()).contains("the line is down");
    return run;
  }

  private static JsonNode output(AgentHandle agent) {
    AgentRun run = agent.attach(new RunId("r1"), OPTIONS).join();
    assertThat(run.error()).isEmpty();
    return run.output();
  }

  @Test
  void aRewoundPaymentRunPaysOnce() {
    try (TestColony colony = colony().start()) {
      AgentHandle agent = colony.spawn("payer", PAYER);
      assertThat(fails(agent).stats().steps()).isGreaterThanOrEqualTo(2);
      assertThat(paid).hasSize(2);
      List<String> before = List.copyOf(paid);
      broken.set(false);
      assertThat(agent.rewind(new RunId("r1"), 1, "the line is up").join()).isEqualTo(2);
      assertThat(output(agent).asText()).isEqualTo("receipt of " + before.get(1).substring(2));
      assertThat(paid).isEqualTo(before);
      List<HistoryEntry> history = agent.history(Optional.empty(), 100).join().entries();
      assertThat(history)
          .filteredOn(LifecycleEvent.Rewound.class::isInstance)
          .singleElement()
          .satisfies(one -> {
            LifecycleEvent.Rewound rewound = (LifecycleEvent.Rewound) one;
            assertThat(rewound.step()).isEqualTo(1);
            assertThat(rewound.attempt()).isEqualTo(2);
            assertThat(rewound.reason()).isEqualTo("the line is up");
          });
      assertThat(history)
          .filteredOn(LifecycleEvent.RunCompleted.class::isInstance)
          .extracting(one -> ((LifecycleEvent.RunCompleted) one).result().status())
          .containsExactly(AgentRun.Status.FAILED, AgentRun.Status.COMPLETED);

      assertThat(agent.rewind(new RunId("r1"), 0, "once more").join()).isEqualTo(3);
      assertThat(output(agent).asText()).isEqualTo("receipt of " + before.get(1).substring(2));
      assertThat(paid).isEqualTo(before);
    }
  }

  @Test
  void whatCannotBeRewoundIsRefusedOnOneLine() {
    try (TestColony colony = colony().start()) {
      AgentHandle agent = colony.spawn("payer", PAYER);
      int steps = fails(agent).stats().steps();
      assertThatThrownBy(() -> agent.rewind(new RunId("r1"), 9, "").join())
          .isInstanceOf(CompletionException.class)
          .cause()
          .isInstanceOf(AgentException.class)
          .hasMessage(
              "run r1 took %d steps: it is rewound to one from 0 to %d".formatted(steps, steps));
      assertThatThrownBy(() -> agent.rewind(new RunId("r0"), 0, "").join())
          .cause()
          .hasMessageContaining("run r0 is not the last that the agent has ended, which is r1");
    }
  }

  @ParameterizedTest
  @EnumSource(KillPoint.Side.class)
  @Tag("faults")
  void whereverTheNodeDiesItIsRewoundOnceAndPaysOnce(KillPoint.Side side) {
    int writes =
        KillPoint.walk(
            side,
            point -> {
              broken.set(true);
              paid.clear();
              try (TestColony colony = colony().killed(point).start()) {
                AgentHandle agent = colony.spawn("payer", PAYER);
                fails(agent);
                broken.set(false);
                assertThat(agent.rewind(new RunId("r1"), 1, "").join()).isEqualTo(2);
                assertThat(output(agent).asText()).as("%s", point).startsWith("receipt of ");
                assertThat(paid.stream().distinct().toList()).as("%s", point).hasSize(2);
                assertThat(agent.history(Optional.empty(), 100).join().entries())
                    .as("%s", point)
                    .filteredOn(LifecycleEvent.RunCompleted.class::isInstance)
                    .hasSize(2);
              }
            });
    assertThat(writes).isGreaterThanOrEqualTo(12);
  }
}
