package dev.colony.cli.report;

import dev.colony.library.research.Evidence;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/**
 * What a report says, however it is written.
 *
 * @param question as it was asked
 * @param earlier the questions that it follows, the oldest first
 * @param answer in the words of what has answered
 * @param citations the lines that it rests on, strongest first
 * @param remarks what is uncertain, what was not read and why, a line each
 * @param coverage which parts of the source were read; empty where that is not known
 * @param source that was asked about, for people
 * @param links where its files are
 */
public record Document(
    String question,
    List<String> earlier,
    String answer,
    List<Evidence> citations,
    List<String> remarks,
    Optional<Coverage> coverage,
    String source,
    Links links,
    Took took) {

  public Document {
    earlier = List.copyOf(earlier);
    citations = List.copyOf(citations);
    remarks = List.copyOf(remarks);
  }

  /**
   * What it took.
   *
   * @param cost in the unit of the prices; 0 where no price is known
   * @param tookMillis from the beginning of the command to the answer
   */
  public record Took(
      String runId,
      List<String> models,
      int agents,
      int nodes,
      int modelCalls,
      int rounds,
      long promptTokens,
      long cachedTokens,
      long completionTokens,
      BigDecimal cost,
      long tookMillis) {

    /** The part of the prompts' tokens that a cache had, from 0 to 1. */
    public double cachedShare() {
      return promptTokens == 0 ? 0 : (double) cachedTokens / promptTokens;
    }

    /** As people read it. */
    String money() {
      return cost.signum() == 0 ? "none: no price is set" : cost.toPlainString();
    }
  }
}
