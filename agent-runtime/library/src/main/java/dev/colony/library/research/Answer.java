package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * What a coordinator answers.
 *
 * @param citations the evidence that the answer rests on, strongest first; empty means that nothing
 *     in the pages speaks to the question
 * @param analysts how many analysts were asked
 * @param unread the pages that no model answered for
 * @param analystStats the sum over the analysts' runs, as {@code RunStats.toJson} writes it
 * @param pages how many pages the analysts were to read; 0 where that is not known
 * @param reasons why those that are unread are
 * @param uncertain what the answer says but is not sure of, a sentence each
 * @param notRead what would have to be read to be sure, a sentence or a file each
 * @param rounds how many times the analysts were asked
 * @param dropped how many of the models' quotes stand nowhere in what they were shown
 * @param read the ids of the pages that a model answered for
 */
public record Answer(
    String answer,
    List<Evidence> citations,
    int analysts,
    List<String> unread,
    JsonNode analystStats,
    int pages,
    UnreadReasons reasons,
    List<String> uncertain,
    List<String> notRead,
    int rounds,
    int dropped,
    List<String> read) {

  public Answer {
    uncertain = uncertain == null ? List.of() : List.copyOf(uncertain);
    notRead = notRead == null ? List.of() : List.copyOf(notRead);
    read = read == null ? List.of() : List.copyOf(read);
    reasons = reasons == null ? UnreadReasons.NONE : reasons;
  }

  /** Reads a coordinator's run output. */
  public static Answer fromJson(JsonNode output) {
    return Json.read(output, Answer.class);
  }
}
