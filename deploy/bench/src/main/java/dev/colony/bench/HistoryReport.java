package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a step costs, by how many steps of the same run are behind it. */
public record HistoryReport(
    String runId,
    StepsLoad load,
    StepsReport.WarmUp warmUp,
    List<HistoryReport.Stretch> stretches) {

  /**
   * Steps of each agent's run, one behind the other.
   *
   * @param from how many steps were behind the first of them
   * @param perStep processor time
   */
  public record Stretch(int from, int to, CpuTime perStep) {}

  public HistoryReport {
    stretches = List.copyOf(stretches);
  }

  /** Where stretches begin and end: at the halves of the powers of ten, and at the last step. */
  static List<Integer> marks(int steps) {
    List<Integer> marks = new ArrayList<>();
    for (int mark = 10; mark < steps; mark *= 10) {
      marks.add(mark);
      if (mark * 5 < steps) {
        marks.add(mark * 5);
      }
    }
    marks.add(steps);
    return marks;
  }

  /** One object on one line. */
  public String toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("runId", runId);
    json.put("agents", load.agents()).put("steps", load.steps());
    json.put("payloadBytes", load.payloadBytes()).put("fsync", load.fsync().word());
    json.put("warmUpRounds", warmUp.rounds()).put("quiet", warmUp.quiet());
    ArrayNode rows = json.putArray("history");
    for (Stretch one : stretches) {
      ObjectNode row = rows.addObject().put("from", one.from()).put("to", one.to());
      one.perStep().into(row);
    }
    return json.toString();
  }

  /** A line for each stretch. */
  public String toText() {
    StringBuilder text =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "%,d agents x %,d steps of one run x %,d bytes, fsync %s%nwarm-up  %s%n"
                    + "%18s %14s %14s %14s%n",
                load.agents(),
                load.steps(),
                load.payloadBytes(),
                load.fsync().word(),
                warmUp.toText(),
                "steps behind",
                "CPU per step",
                "compiler",
                "Redis"));
    for (Stretch one : stretches) {
      text.append(
          String.format(
              Locale.ROOT,
              "%,8d - %,7d %11.0f us %11.0f us %11.0f us%n",
              one.from(),
              one.to(),
              one.perStep().work(),
              one.perStep().compiler(),
              one.perStep().redis()));
    }
    return text.append("run ").append(runId).toString();
  }
}
