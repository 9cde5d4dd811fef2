package dev.colony.cli.chaos;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.journal.JournalReader.Stored;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What is promised to the caller of a run. */
final class RunInvariants {

  private RunInvariants() {}

  /** Every accepted run ends, completed, and its caller is told so. */
  static Finding everyRunEnds(Evidence evidence) {
    Finding finding = new Finding("every-accepted-run-ends", "runs");
    for (RunId run : evidence.runs()) {
      AgentRun answer = evidence.answered().get(run);
      finding.check(
          answer != null && answer.status() == AgentRun.Status.COMPLETED,
          "run %s: %s",
          run,
          answer == null ? "its caller was never told" : answer);
    }
    return finding;
  }

  /** A run ends once in its journal, its result is written once, and every caller sees the same. */
  static Finding oneResult(Evidence evidence) {
    Finding finding = new Finding("result-exactly-once", "runs");
    for (Map.Entry<AgentId, List<RunId>> agent : evidence.accepted().entrySet()) {
      Map<RunId, Integer> ended = new HashMap<>();
      Map<RunId, Integer> published = new HashMap<>();
      Map<RunId, AgentRun> results = new HashMap<>();
      for (Stored stored : evidence.journals().getOrDefault(agent.getKey(), List.of())) {
        if (stored.content() instanceof AgentEvent.RunCompleted completed) {
          ended.merge(completed.run().runId(), 1, Integer::sum);
          results.put(completed.run().runId(), completed.run());
        } else if (stored.content() instanceof AgentEvent.ResultPublished done) {
          published.merge(done.runId(), 1, Integer::sum);
        }
      }
      for (RunId run : agent.getValue()) {
        Evidence.Published onBoard = evidence.published().get(run);
        AgentRun journaled = results.get(run);
        finding.check(
            ended.getOrDefault(run, 0) == 1
                && published.getOrDefault(run, 0) == 1
                && onBoard != null
                && onBoard.version() == 1
                && AgentRun.fromJson(onBoard.value()).equals(journaled)
                && journaled.equals(evidence.answered().get(run)),
            "run %s ended %d times, was published %d times; on the blackboard: %s; journaled: %s;"
                + " told: %s",
            run,
            ended.getOrDefault(run, 0),
            published.getOrDefault(run, 0),
            onBoard,
            journaled,
            evidence.answered().get(run));
      }
    }
    return finding;
  }
}
