package dev.colony.bench.resume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;

/**
 * What a benchmark of resumption found.
 *
 * @param byWord of agents that a resume command had go on
 * @param bySignal of agents that waited for what came: their conditions were evaluated first
 * @param floor the bare round trips of a resumption
 * @param commandsEach commands that Redis carried out for one resumption by word and the step
 *     behind it, those within scripts included
 * @param suspendedHeapBytes what the agents of both rounds, all suspended, leave on the heap of the
 *     node that had them
 */
public record ResumeReport(
    ResumeLoad load,
    Round byWord,
    Round bySignal,
    Delays floor,
    double commandsEach,
    long suspendedHeapBytes) {

  /**
   * The delays of one round, from the instant at which the signal was to be written.
   *
   * @param resumed until it was durable that the agent runs
   * @param stepped until its next step was durable
   */
  record Round(Delays resumed, Delays stepped) {}

  /** One object on one line. */
  public String toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("agents", load.agents()).put("steps", load.steps()).put("perSecond", load.perSecond());
    byWord.resumed().addTo(json.putObject("byWord"));
    byWord.stepped().addTo(json.putObject("byWordToNextStep"));
    bySignal.resumed().addTo(json.putObject("bySignal"));
    bySignal.stepped().addTo(json.putObject("bySignalToNextStep"));
    floor.addTo(json.putObject("floor"));
    return json.put("redisCommandsEach", Math.round(commandsEach * 10) / 10.0)
        .put("suspendedHeapBytes", suspendedHeapBytes)
        .toString();
  }

  /** The figures, one a line. */
  public String toText() {
    return String.format(
        Locale.ROOT,
        """
        twice %,d suspended agents with %,d steps behind them, on a node that never held them
        and has resumed %,d others each way before
        %,d a second, from the signal's write
          by word, until it is durable that the agent runs     %s
            until its next step is durable                     %s
          by what it waits for, until durable that it runs     %s
            until its next step is durable                     %s
          floor: the bare round trips, one after the other     %s
          redis commands for one, its next step included       %.0f
          heap that %,d suspended agents leave          %,d bytes\
        """,
        load.agents(),
        load.steps(),
        load.warmUp(),
        load.perSecond(),
        byWord.resumed().toText(),
        byWord.stepped().toText(),
        bySignal.resumed().toText(),
        bySignal.stepped().toText(),
        floor.toText(),
        commandsEach,
        2 * load.agents(),
        suspendedHeapBytes);
  }
}
