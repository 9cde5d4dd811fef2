package dev.colony.library.hook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.RunId;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Hook;
import dev.colony.agent.author.Hook.OnError;
import dev.colony.agent.author.HookContext;
import dev.colony.agent.author.Range;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Write;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Stores where the agent stands after every n-th iteration, for people and programs that want to
 * look back; recovery goes by the journal and needs none of it. A checkpoint is named {@code
 * RUN-ITERATION} and stands at {@code checkpoint:NAME} in the capability's scope, listed, the
 * oldest first, at {@code checkpoints}; the oldest beyond the number to keep goes in the same
 * transaction. An iteration that is executed again after a crash stores its checkpoint again under
 * the same name. An iteration that failed stores none; a checkpoint that cannot be stored is logged
 * and leaves the run as it is.
 */
@Registered(
    value = "hook.checkpoint",
    summary = "Stores the agent's state on the blackboard every few iterations.")
public class CheckpointCapability extends AgentCapability {

  private static final String LIST = "checkpoints";

  /**
   * How often, and how many.
   *
   * @param every iterations of a run between two checkpoints
   * @param keep checkpoints of the agent, over all runs
   */
  public record Args(
      @Range(min = 1, max = 1_000_000) int every, @Range(min = 1, max = 1000) int keep) {}

  private final Args args;

  CheckpointCapability(CapabilityContext context, Args args) {
    super(context);
    this.args = args;
  }

  /** The names of the checkpoints that are kept, the oldest first. Blocks. */
  public List<String> names() throws Exception {
    return blackboard().read(LIST).toCompletableFuture().get().stream()
        .flatMap(entry -> List.of(entry.as(String[].class)).stream())
        .toList();
  }

  /** A checkpoint; empty if it is not kept, or not any more. Blocks. */
  public Optional<Checkpoint> read(String name) throws Exception {
    return blackboard()
        .read(key(name))
        .toCompletableFuture()
        .get()
        .map(entry -> entry.as(Checkpoint.class));
  }

  @Hook(after = "ActionPolicy.executeIteration", onError = OnError.SUPPRESS)
  void store(HookContext call, ActionPolicyIterationResult result) throws Exception {
    if (call.arguments().getFirst() instanceof ActionPolicyExecutionState state
        && (state.iterationNum() + 1) % args.every() == 0) {
      store(checkpoint(state));
    }
  }

  private Checkpoint checkpoint(ActionPolicyExecutionState state) {
    Map<String, JsonNode> capabilities = new HashMap<>();
    for (AgentCapability capability : agent().capabilities()) {
      JsonNode snapshot = capability.snapshot();
      if (!snapshot.isNull()) {
        capabilities.put(capability.capabilityKey(), snapshot);
      }
    }
    RunId run = state.request().runId();
    return new Checkpoint(
        run + "-" + state.iterationNum(), run, state.iterationNum(), state.custom(), capabilities);
  }

  private void store(Checkpoint checkpoint) throws Exception {
    blackboard()
        .transaction(tx ->
            tx.read(LIST, String[].class)
                .thenCompose(known -> {
                  List<String> names = new ArrayList<>(List.of(known.orElse(new String[0])));
                  names.remove(checkpoint.name());
                  names.add(checkpoint.name());
                  CompletionStage<Void> done = CompletableFuture.completedFuture(null);
                  while (names.size() > args.keep()) {
                    String oldest = names.removeFirst();
                    done = done.thenCompose(before -> tx.delete(key(oldest)));
                  }
                  return done.thenCompose(
                          before -> tx.write(Write.value(key(checkpoint.name()), checkpoint)))
                      .thenCompose(before -> tx.write(LIST, names));
                }))
        .toCompletableFuture()
        .get();
  }

  private static String key(String name) {
    return "checkpoint:" + name;
  }
}
