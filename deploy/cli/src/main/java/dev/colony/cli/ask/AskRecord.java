package dev.colony.cli.ask;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.TraceBudget;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.library.research.Answer;
import dev.colony.library.research.Exchange;
import dev.colony.library.research.Question;
import dev.colony.schema.JsonValues;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What must be known to come back to a run from another process; kept on the blackboard.
 *
 * @param source the tree that was asked about, for people
 * @param pages how many pages it was mapped to
 * @param startedWith what its cluster was started with
 * @param policy what decides for its coordinator
 * @param follows the run that it goes on from; empty for none
 * @param earlier what was asked and answered before, the oldest first
 * @param budget what its model calls may take; empty where it has no bound of its own
 * @param answered what it was answered; empty as long as it is not known
 */
public record AskRecord(
    String runId,
    String question,
    String source,
    String map,
    int pages,
    long startedMillis,
    AskRecord.StartedWith startedWith,
    AskPolicy policy,
    Optional<String> follows,
    List<Exchange> earlier,
    Optional<TraceBudget> budget,
    Optional<Exchange> answered) {

  public AskRecord {
    policy = policy == null ? AskPolicy.RESEARCH : policy;
    follows = follows == null ? Optional.empty() : follows;
    earlier = earlier == null ? List.of() : List.copyOf(earlier);
    budget = budget == null ? Optional.empty() : budget;
    answered = answered == null ? Optional.empty() : answered;
  }

  /**
   * What a cluster is started with, but for the key of its model server, which is not stored.
   *
   * @param modelUrl empty for the embedded replicas
   * @param model the name of the model that was set; empty for the first that the server lists
   * @param served which model answers, for people; empty where that is not recorded
   * @param config the file of settings that was given; empty for none
   */
  public record StartedWith(
      String modelUrl, String model, int nodes, Optional<String> served, String config) {

    public StartedWith {
      served = served == null ? Optional.empty() : served;
      config = config == null ? "" : config;
    }
  }

  /** The coordinator of a run: one an agent, so that runs do not wait for each other. */
  AgentId coordinator() {
    return Asking.coordinator(new RunId(runId));
  }

  /** What its coordinator is asked: of another policy than research, what goals can refer to. */
  JsonNode input() {
    ObjectNode input = (ObjectNode) JsonValues.toJson(new Question(question, map, earlier));
    return policy == AskPolicy.RESEARCH ? input : input.put("question", question);
  }

  /** The same run on another cluster. */
  public AskRecord startedWith(StartedWith other) {
    return with(other, answered);
  }

  /** The same with what it was answered. */
  AskRecord answered(Answer answer) {
    return with(startedWith, Optional.of(Exchange.of(question, answer)));
  }

  /** The same but for what changes of a run. */
  private AskRecord with(StartedWith cluster, Optional<Exchange> exchange) {
    return new AskRecord(
        runId,
        question,
        source,
        map,
        pages,
        startedMillis,
        cluster,
        policy,
        follows,
        earlier,
        budget,
        exchange);
  }

  /** What a question that follows it knows: the newest of its exchanges, its own the last. */
  public List<Exchange> exchanges(int most) {
    List<Exchange> all = new ArrayList<>(earlier);
    answered.ifPresent(all::add);
    return List.copyOf(all.subList(Math.max(0, all.size() - most), all.size()));
  }

  /** Stores it, in place of what was stored of the run before. */
  public void save(Blackboards blackboards) {
    board(blackboards).write(Write.of(runId, JsonValues.toJson(this))).toCompletableFuture().join();
  }

  /** What is stored of a run. */
  public static Optional<AskRecord> find(Blackboards blackboards, RunId runId) {
    return board(blackboards)
        .read(runId.value())
        .toCompletableFuture()
        .join()
        .map(entry -> (AskRecord) JsonValues.read(entry.value(), AskRecord.class));
  }

  private static Blackboard board(Blackboards blackboards) {
    return blackboards.open(
        Scope.colony(Asking.TENANT, Asking.COLONY).namespace("asked"), Asking.WRITER);
  }
}
