package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.ModelCall;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.blackboard.Blackboards;
import dev.colony.core.dispatch.ActionThreads;
import dev.colony.core.dispatch.CapabilityDispatcher;
import dev.colony.core.dispatch.DispatchSettings;
import dev.colony.core.lifecycle.SharedActionHistory;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.PromptLength;
import dev.colony.inference.Usage;
import dev.colony.library.policy.PromptFit;
import dev.colony.library.research.ResearchTypes.Json;
import dev.colony.node.NodePorts;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import dev.colony.vcm.mapping.PageText;
import dev.colony.vcm.mapping.TokenCounter;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.StoreSettings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What the policies work with: an agent whose model a test plays, and runs as they are shown. */
final class Desk {

  /** A page of two files. */
  static final VirtualContextPage PAGE =
      new VirtualContextPage(
          new PageId("a".repeat(26)),
          """
          === A.java (lines 1-4)
          package a;

          class A {
          }
          === B.java (lines 9-10)
            class B {
          10\t  }
          """,
          30,
          List.of(new PageSegment("A.java", 1, 4), new PageSegment("B.java", 9, 10)));

  /** A page of another file. */
  static final VirtualContextPage OTHER =
      new VirtualContextPage(
          new PageId("c".repeat(26)),
          "=== C.java (lines 1-1)\nclass C {}\n",
          10,
          List.of(new PageSegment("C.java", 1, 1)));

  /** A page of more tokens than a small model takes, and those of its lines. */
  static final VirtualContextPage LONG =
      PageText.page(
          "Long.java",
          IntStream.rangeClosed(1, 400)
              .mapToObj(number -> "  int field%d = compute(%d, LIMIT);\n".formatted(number, number))
              .collect(Collectors.joining()),
          PageLabel.NONE,
          new TokenCounter());

  /** What the model was asked, in order, and by which names, refused or not. */
  final List<ModelCall> asked = new ArrayList<>();

  final List<String> names = new ArrayList<>();

  private long limit = Long.MAX_VALUE;

  final PolicyContext context;

  private final CapabilityDispatcher dispatcher;

  private Optional<String> reply = Optional.empty();

  Desk() {
    Blackboards boards = new InMemoryBlackboards();
    PageStore pages =
        new BlackboardPageStore(boards, "acme", "test", new StoreSettings(1 << 20, 2, 3));
    pages.save(List.of(PAGE, OTHER, LONG));
    TestAgent agent =
        new TestAgent(
            new AgentId("acme", "lab", "tested"),
            boards,
            (name, call) -> {
              asked.add(call);
              names.add(name);
              if (limit < Long.MAX_VALUE && tokens(call) > limit) {
                throw tooLong();
              }
              return reply.orElseThrow(() -> new AgentException("gone", null, true));
            },
            NodePorts.none().with(PageStore.class, pages),
            HookRegistry.NONE);
    agent.with(
        new AnalystCapability(
            agent.capabilityContext(AnalystCapability.TYPE), AnalystCapability.Args.DEFAULT));
    dispatcher =
        new CapabilityDispatcher(
            agent, new ActionThreads(DispatchSettings.fromConfig(ConfigFactory.load())));
    context = new PolicyContext(agent, dispatcher, List.of());
  }

  /** Has the model answer with this; before, it does not answer. */
  Desk answering(String text) {
    reply = Optional.of(text);
    return this;
  }

  /** Has the model refuse longer prompts, in the numbers of a server that counts no further. */
  Desk refusingAbove(long tokens) {
    limit = tokens;
    return this;
  }

  long tokens(ModelCall call) {
    return PromptFit.tokens(context.agent(), call);
  }

  private AgentException tooLong() {
    PromptLength numbers = new PromptLength(OptionalLong.of(limit), OptionalLong.of(limit + 1));
    String why = "the model takes %d tokens".formatted(limit);
    return new AgentException(
        why,
        new InferenceException(
            InferenceException.Kind.TOO_LONG,
            why,
            null,
            Usage.NONE,
            Optional.empty(),
            numbers,
            Optional.empty()),
        false);
  }

  /** Begins an iteration of a run after so many others, with these actions behind it. */
  ActionPolicyExecutionState run(Object input, int iteration, ActionResult... results) {
    return run(input, iteration, JsonNodeFactory.instance.objectNode(), results);
  }

  /** The same with entries of the policy. */
  ActionPolicyExecutionState run(
      Object input, int iteration, JsonNode custom, ActionResult... results) {
    ActionPolicyExecutionState state =
        new ActionPolicyExecutionState(
            new ActionPolicyExecutionState.Given(
                new RunRequest(
                    ExecutionContext.of(context.agent().id(), new RunId("r-1")),
                    "research",
                    Json.of(input),
                    "test",
                    Instant.EPOCH),
                iteration,
                RunStats.NONE,
                SharedActionHistory.of(
                    List.of(results).stream()
                        .map(result ->
                            new ActionCall(Action.of(result.actionId(), "any", null), result))
                        .toList()),
                custom,
                List.of(),
                Optional.empty(),
                DurableMemory.EMPTY,
                Map.of()));
    dispatcher.enter(state, new NoJournal());
    return state;
  }
}
