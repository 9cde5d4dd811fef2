package dev.colony.examples.review;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.agent.client.RunHandle;
import dev.colony.library.plan.CacheAwareActionPolicy;
import dev.colony.library.plan.PlanArgs;
import dev.colony.library.plan.PlanText;
import dev.colony.library.policy.PlannerArgs;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Has a supervisor review a source tree, and asks a person what it asks for. */
public final class Review {

  private static final String NAMESPACE = "review";
  private static final long LOOK_AGAIN_MILLIS = 200;

  /** No journal comes so far; asked for, it tells how far it has come. */
  private static final long FAR_AHEAD = 1L << 52;

  private final AgentHandle agent;
  private final String again;

  /**
   * Spawns the supervisor, unless it is there already.
   *
   * @param colony whose handles have a way to the journal
   * @param again options of a {@code colony approve} that reaches the same cluster
   */
  public Review(Colony colony, AgentId id, Path tree, String again) {
    this.agent = colony.spawn(id, blueprint(tree)).join();
    this.again = again;
  }

  /** An agent that plans: the survey, the parts of the tree, the files of each part. */
  public static AgentBlueprint blueprint(Path tree) {
    return AgentBlueprint.of(
            CacheAwareActionPolicy.class,
            PlanArgs.NONE.planner(
                PlannerArgs.NONE
                    .role("You supervise the review of a source tree.")
                    .goals(
                        "Survey the tree",
                        "For each part: for each file: check the file for open ends",
                        "Publish the report of what was found")
                    .constraints("Plan each part by itself, when its turn comes")))
        .capability(
            CapabilityBlueprint.of(
                    TreeCapability.class,
                    new TreeCapability.Tree(tree.toAbsolutePath().normalize().toString()))
                .namespace(NAMESPACE));
  }

  /**
   * Runs it to its end; blocks. What it asks for is answered by the lines that a person types, or
   * from elsewhere.
   *
   * @param typed lines: one that begins with y approves the oldest request, any other denies it
   * @param heard what is said meanwhile, a line each
   */
  public AgentRun run(BlockingQueue<String> typed, Consumer<String> heard)
      throws InterruptedException {
    RunHandle run =
        agent.run(JsonNodeFactory.instance.objectNode(), RunOptions.namespace(NAMESPACE));
    Set<String> told = new HashSet<>();
    while (!run.result().isDone()) {
      List<PendingApproval> pending = agent.pending().join();
      for (PendingApproval one : pending) {
        if (told.add(one.request())) {
          heard.accept(one.reason());
          heard.accept(
              "Shall it? y or n here, or: colony approve %s%s, or colony deny"
                  .formatted(agent.id(), again));
        }
      }
      String word = pending.isEmpty() ? null : typed.poll();
      if (word != null) {
        answer(pending.getFirst().request(), word.strip().toLowerCase(Locale.ROOT));
      } else {
        TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
      }
    }
    return run.join();
  }

  private void answer(String request, String word) throws InterruptedException {
    String by = System.getProperty("user.name", "");
    if (word.startsWith("y")) {
      agent.approve(request, by, "").join();
    } else {
      agent.deny(request, by, "").join();
    }
    while (asks(request)) {
      TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
    }
  }

  private boolean asks(String request) {
    return agent.pending().join().stream().anyMatch(one -> one.request().equals(request));
  }

  /** The tree of its plan, with what became of each part; empty where it has none. */
  public List<String> plan() {
    return newest().flatMap(PlanText::kept).map(PlanText::lines).orElse(List.of());
  }

  /** What the agent keeps beyond its runs. */
  private Optional<JsonNode> newest() {
    StateAt end = agent.at(FAR_AHEAD).join();
    return end instanceof StateAt.NotYet later
            && agent.at(later.last()).join() instanceof StateAt.Known known
        ? Optional.of(known.agent().memory().entries())
        : Optional.empty();
  }
}
