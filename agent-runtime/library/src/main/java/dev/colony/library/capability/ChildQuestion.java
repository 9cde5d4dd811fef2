package dev.colony.library.capability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.KeyGlob;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * What an agent asks of its parent: the entry {@code asked/CHILD/ID} of the parent's scope, which
 * wakes it. The answer is the entry {@code answers/ID} of the child's scope, which the parent's
 * action {@code agent_answer} writes; given again, the last one before the child goes on counts.
 *
 * @param agent the name of the child
 * @param question its id, unique among the child's questions
 * @param text what is asked, to be answered by yes or no and a note
 */
public record ChildQuestion(String agent, String question, String text) {

  /** The context key under which a parent is shown a question. */
  public static final String EVENT = "asked";

  static final String PREFIX = "asked/";
  private static final String ANSWERS = "answers/";

  /**
   * An answer.
   *
   * @param by the name of the parent
   * @param note empty for none
   */
  public record Answer(boolean yes, String note, String by) {}

  static ChildQuestion of(EventBatch.Event event) {
    String[] path = event.key().split("/", 3);
    return new ChildQuestion(
        path[1], path[2], event.value().map(json -> json.path("text").asText()).orElse(""));
  }

  /** Puts a question before the parent of an agent; an agent without one asks nothing. Blocks. */
  public static void ask(Agent child, String question, String text) {
    child
        .parent()
        .ifPresent(parent ->
            await(
                child
                    .blackboard(parent.scope())
                    .write(
                        Write.of(
                            PREFIX + child.id().name() + "/" + question,
                            JsonNodeFactory.instance.objectNode().put("text", text)))));
  }

  /** That the parent has answered, whenever it did. */
  public static ResumptionCondition answered(AgentId child, String question) {
    return new ResumptionCondition.Event(
        child.scope(), new KeyGlob(ANSWERS + question), Optional.of(Position.BEGINNING));
  }

  /** What the parent has answered; empty before that, and without one. Blocks. */
  public static Optional<Answer> answer(Agent child, String question) {
    Optional<AgentId> parent = child.parent();
    if (parent.isEmpty()) {
      return Optional.empty();
    }
    return await(child.blackboard().read(ANSWERS + question))
        .filter(entry -> entry.updatedBy().equals(parent.get().persistenceId()))
        .map(Entry::value)
        .map(json -> (Answer) JsonValues.read(json, Answer.class));
  }

  /** Answers a child of an agent, which has asked. Blocks. */
  static void answer(Agent parent, AgentId child, String question, boolean yes, String note) {
    String key = PREFIX + child.name() + "/" + question;
    Optional<Entry> asked = Await.result(parent.blackboard().read(key));
    if (asked.filter(one -> one.updatedBy().equals(child.persistenceId())).isEmpty()) {
      throw AgentException.refused(child.name() + " has not asked " + question);
    }
    JsonNode answer = JsonValues.toJson(new Answer(yes, note, parent.id().name()));
    Await.result(parent.blackboard(child.scope()).write(Write.of(ANSWERS + question, answer)));
  }

  private static <T> T await(CompletionStage<T> stage) {
    try {
      return Await.result(stage);
    } catch (RuntimeException failure) {
      throw new AgentException("a question to the parent: " + failure.getMessage(), failure, true);
    }
  }
}
