package dev.colony.examples;

import static dev.colony.agent.RunOptions.namespace;
import static dev.colony.agent.action.ActionType.Effect.EXTERNAL;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.ResumptionCondition.Approved;
import dev.colony.agent.ResumptionCondition.ChildrenCompleted;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.AgentHook.HookContext;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.Hook;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.library.policy.ConversationFormatter;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedRule;
import dev.colony.library.policy.StreamFilters.ActionKeySubstringFilter;
import dev.colony.library.policy.StreamFilters.EventContextKeyFilter;
import dev.colony.library.policy.StreamFilters.SuccessfulActionFilter;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestColony;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What it takes to write, describe, run and follow an agent: no more lines than stand here. */
class UsageTest {

  private static final ConcurrentLinkedQueue<String> REMEMBERED = new ConcurrentLinkedQueue<>();

  @Registered("usage.compliance")
  public static final class ComplianceCapability extends AgentCapability {

    public record Rules(String ruleset, @Range(min = 1, max = 100) int maxFindings) {}

    public record Finding(String page, String text) {}

    private static final AgentBlueprint READER =
        AgentBlueprint.of(
                ScriptedActionPolicy.class,
                ScriptedActionPolicy.Script.of(
                    ScriptedRule.first().act("usage.reader.read", "page", "$page"),
                    ScriptedRule.otherwise().complete("read")))
            .capability(ReaderCapability.class);

    private final Rules rules;

    public ComplianceCapability(CapabilityContext context, Rules rules) {
      super(context);
      this.rules = rules;
    }

    /** Each page by a child of its own: spawned, asked, awaited and stopped in one line. */
    @ActionExecutor(
        tags = "expensive",
        timeout = "2m",
        summary = "Checks pages against the rule set.")
    List<Finding> check(
        @Param("the pages to check") List<String> pages,
        @Param("what to look at first") Optional<String> focus) {
      var inputs = pages.stream().map(page -> Map.of("page", page)).toList();
      List<AgentRun> read =
          agent()
              .children()
              .gather("read", READER, inputs, namespace("read").timeout(ofSeconds(60)));
      return IntStream.range(0, pages.size())
          .filter(i -> read.get(i).status() == AgentRun.Status.COMPLETED)
          .limit(rules.maxFindings())
          .mapToObj(i -> new Finding(pages.get(i), rules.ruleset() + focus.orElse("")))
          .toList();
    }

    @ActionExecutor(effect = EXTERNAL, retryable = false, summary = "Opens a ticket.")
    String openTicket(Finding finding, IdempotencyKey key) {
      return finding.page() + " under " + key.value();
    }

    @EventHandler(protocol = AgentRunProtocol.class)
    void onRequest(RunRequest request) {
      REMEMBERED.add("asked " + request.input());
    }

    @Hook(after = "ActionDispatcher.dispatch")
    void remember(HookContext call, ActionResult result) {
      REMEMBERED.add("done " + result.status());
    }
  }

  @Registered("usage.reader")
  public static final class ReaderCapability extends AgentCapability {

    public ReaderCapability(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(summary = "Reads a page.")
    int read(@Param("the page") String page) {
      return page.length();
    }
  }

  /** Makes the types known, as a service in {@code META-INF/services}. */
  public static final class UsageTypes implements TypeProvider {
    @Override
    public void register(Types types) {
      types.add(ComplianceCapability.class);
      types.add(ReaderCapability.class);
    }
  }

  private static final StreamBlueprint CONVERSATION =
      ConsciousnessStream.bind("conversation", ConversationFormatter.bind())
          .events(EventContextKeyFilter.bind("user_chat_message"))
          .actions(SuccessfulActionFilter.bind(ActionKeySubstringFilter.bind("respond_to_user")));

  private static final AgentBlueprint REVIEWER =
      AgentBlueprint.of(MinimalActionPolicy.class)
          .capability(ComplianceCapability.class, new ComplianceCapability.Rules("owasp", 20))
          .stream(CONVERSATION);

  @Test
  void anAgentIsSpawnedRunFollowedSuspendedAndAttachedTo() {
    try (FakeModel model = FakeModel.start();
        TestColony node = TestColony.inMemory().model(model).start()) {
      model
          .expect("check the auth module")
          .act("usage.compliance.check", Map.of("pages", List.of("login", "token")));
      model.expect("\"page\":\"token\"").complete(Map.of("found", 2));
      Colony colony = node.colony();

      AgentHandle agent = colony.spawn(AgentId.parse("acme/billing/reviewer"), REVIEWER).join();

      var asked = agent.run(Map.of("goals", "check the auth module"), options());
      var events = new ConcurrentLinkedQueue<String>();
      asked.forEach(event -> events.add(event.name())).join();
      AgentRun run = asked.join();

      agent
          .suspend(
              "until the lead has looked",
              ResumptionCondition.any(
                  new ChildrenCompleted(List.of(agent.id())), new Approved("lead")))
          .join();
      AgentRun later = colony.agent(agent.id()).attach(run.runId(), options()).join();

      assertThat(run.error()).isEmpty();
      assertThat(run.output().path("found").asInt()).isEqualTo(2);
      assertThat(events).endsWith("completed");
      assertThat(later).isEqualTo(run);
      assertThat(REMEMBERED).anyMatch(one -> one.equals("done SUCCEEDED"));
      await()
          .atMost(ofSeconds(60))
          .until(() -> agent.state().join().orElseThrow().state() == AgentState.SUSPENDED);
    }
  }

  private static RunOptions options() {
    return namespace("compliance").timeout(ofSeconds(60));
  }
}
