package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.author.Agent;
import dev.colony.inference.InferenceReply;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

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

  /**
   * The answer that a model composes from what analysts have found; asks it, unless nothing was.
   */
  static Answer composed(Agent agent, String question, Consultation consultation) {
    List<Evidence> evidence = consultation.evidence();
    if (evidence.isEmpty()) {
      return of(nothing(consultation), List.of(), consultation);
    }
    InferenceReply said = agent.inference().infer("compose", AnswerPrompt.from(question, evidence));
    JsonNode reply = Json.parse(said.text());
    return of(
        reply.path("answer").asText(), cited(reply.path("citations"), evidence), consultation);
  }

  private static Answer of(String answer, List<Evidence> citations, Consultation consultation) {
    return new Answer(
        answer,
        citations,
        consultation.analysts(),
        consultation.unread(),
        consultation.stats(),
        consultation.pages(),
        consultation.reasons(),
        List.of(),
        List.of(),
        1,
        0,
        List.of());
  }

  /** Of pages that were not read it is not known what they say. */
  private static String nothing(Consultation consultation) {
    return consultation.unread().isEmpty()
        ? "Nothing in the pages speaks to the question."
        : "Nothing in the pages that were read speaks to the question.";
  }

  /** The evidence that the reply names; numbers that name none are dropped. */
  private static List<Evidence> cited(JsonNode citations, List<Evidence> evidence) {
    Set<Integer> numbers = new LinkedHashSet<>();
    citations.forEach(citation -> numbers.add(citation.path("evidence").asInt()));
    List<Evidence> cited = new ArrayList<>();
    numbers.stream()
        .filter(number -> number >= 1 && number <= evidence.size())
        .forEach(number -> cited.add(evidence.get(number - 1)));
    return cited;
  }
}
