package dev.colony.bench.answers;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;

/**
 * How long questions took, each a command of its own.
 *
 * @param nodes of the cluster that was up
 */
public record LatencyReport(int nodes, List<LatencyReport.Asked> questions) {

  public LatencyReport {
    questions = List.copyOf(questions);
  }

  /**
   * One question, in milliseconds from when its process was started; -1 for what did not happen.
   *
   * @param running when the command said that it runs
   * @param mapped when it knew which map it asks of
   * @param mapping what it said of that
   * @param analyst when the first analyst had answered, by what a terminal shows
   * @param firstToken when the first of the answer was there
   * @param answer when all that it printed was there
   * @param ended when the process had ended
   * @param status of its exit
   */
  public record Asked(
      String question,
      long running,
      long mapped,
      String mapping,
      long analyst,
      long firstToken,
      long answer,
      long ended,
      int status) {

    private void put(ObjectNode json) {
      json.put("question", question)
          .put("runningMillis", running)
          .put("mappedMillis", mapped)
          .put("mapping", mapping)
          .put("analystMillis", analyst)
          .put("firstTokenMillis", firstToken)
          .put("answerMillis", answer)
          .put("endedMillis", ended)
          .put("status", status);
    }

    private String toText() {
      return String.format(
          Locale.ROOT,
          "%9s %9s %9s %11s %9s %9s  %s%n%63s(%s)",
          millis(running),
          millis(mapped),
          millis(analyst),
          millis(firstToken),
          millis(answer),
          millis(ended),
          status == 0 ? question : question + " (status " + status + ")",
          "",
          mapping);
    }

    private static String millis(long millis) {
      return millis < 0 ? "-" : String.format(Locale.ROOT, "%,d", millis);
    }
  }

  /** How many commands have ended otherwise than with status 0. */
  public long failed() {
    return questions.stream().filter(one -> one.status() != 0).count();
  }

  /** One object. */
  public String toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("nodes", nodes);
    questions.forEach(one -> one.put(json.withArray("questions").addObject()));
    return json.toString();
  }

  /** A line for each question, and one above. */
  public String toText() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            "milliseconds from the start of the command, %d nodes up%n%9s %9s %9s %11s %9s %9s",
            nodes, "running", "mapped", "analyst", "first token", "answer", "ended"));
    questions.forEach(one -> text.append(System.lineSeparator()).append(one.toText()));
    return text.toString();
  }
}
