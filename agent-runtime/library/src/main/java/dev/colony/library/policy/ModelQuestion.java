package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.ModelCall;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.PolicySettings;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.inference.ToolChoice;
import dev.colony.library.prompt.JsonPreview;
import dev.colony.library.prompt.PlanningPrompt;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * A question to a model and the way to read its reply. A reply that cannot be read is shown to the
 * model once more within the same call, with what the reading says is wrong. Whatever the model
 * replies, nothing is thrown for it.
 *
 * @param tools that the model has to call; empty where it replies with JSON
 * @param schema of the JSON; empty where it calls tools
 * @param reading of a reply. Called several times and on other threads, one after the other
 */
public record ModelQuestion<T>(
    List<Tool> tools, Optional<JsonNode> schema, Function<Said, Reading<T>> reading) {

  private static final int ERROR_CHARS = 1000;

  /**
   * A reply.
   *
   * @param text the JSON that was asked for, or what the model said beside its calls
   */
  public record Said(String text, List<ToolCall> calls) {}

  /** How a reply was found. */
  public sealed interface Reading<T> {

    /** It says this. */
    record Good<T>(T value) implements Reading<T> {}

    /**
     * It cannot be read.
     *
     * @param why on one line, for the model
     */
    record Wrong<T>(String why) implements Reading<T> {}
  }

  /**
   * What the model replied.
   *
   * @param reasoning why, on one line, bounded by {@code colony.agent.policy.reasoning-chars};
   *     empty if it said nothing
   */
  public record Answer<T>(Reading<T> reading, String reasoning) {}

  public ModelQuestion {
    tools = List.copyOf(tools);
    if (tools.isEmpty() == schema.isEmpty()) {
      throw new IllegalArgumentException("a question has either tools or a schema");
    }
  }

  /** One that the model answers by calling tools, at least one. */
  public static <T> ModelQuestion<T> calls(
      List<Tool> tools, Function<List<ToolCall>, Reading<T>> reading) {
    return new ModelQuestion<>(
        tools,
        Optional.empty(),
        said ->
            said.calls().isEmpty()
                ? new Reading.Wrong<>("it calls no tool")
                : reading.apply(said.calls()));
  }

  /** One that the model answers with JSON. */
  public static <T> ModelQuestion<T> json(JsonNode schema, Function<String, Reading<T>> reading) {
    return new ModelQuestion<>(List.of(), Optional.of(schema), said -> reading.apply(said.text()));
  }

  /**
   * Asks.
   *
   * @param name of the call, unique within the iteration
   * @throws AgentException if the model cannot be asked
   */
  public Answer<T> ask(
      Agent agent,
      String name,
      PlanningPrompt prompt,
      PlannerModel model,
      PolicySettings settings) {
    // The gateway's own message names the server, which is no concern of the model.
    AtomicReference<String> wrong = new AtomicReference<>("it could not be read, or is too large");
    InferenceReply reply;
    try {
      reply =
          agent
              .inference()
              .infer(
                  name,
                  call(prompt, model, model.answerTokens().orElse(settings.answerTokens()), wrong));
    } catch (AgentException failure) {
      if (failure.getCause() instanceof InferenceException bad
          && bad.kind() == InferenceException.Kind.BAD_REPLY) {
        return new Answer<>(new Reading.Wrong<>(wrong.get()), "");
      }
      throw failure;
    }
    KeptPrompt.keep(agent, prompt, reply, settings);
    String why = reply.toolCalls().isEmpty() ? reply.reasoning() : spoken(reply);
    return new Answer<>(
        reading.apply(new Said(reply.text(), reply.toolCalls())),
        JsonPreview.cut(why.strip(), settings.reasoningChars()));
  }

  private ModelCall call(
      PlanningPrompt prompt, PlannerModel model, int tokens, AtomicReference<String> wrong) {
    ReplyForm form =
        tools.isEmpty()
            ? ReplyForm.json(schema.orElseThrow(), tokens)
                .check(text -> wrong(new Said(text, List.of()), wrong))
            : ReplyForm.text(tokens)
                .tools(tools, ToolChoice.REQUIRED)
                .callCheck(calls -> wrong(new Said("", calls), wrong));
    List<ChatMessage> messages = prompt.messages();
    return new ModelCall(
        prompt.system(),
        prompt.pages(),
        messages.isEmpty() ? List.of(new ChatMessage.User("What do you do next?")) : messages,
        form,
        model.sampling(),
        model.choice());
  }

  private Optional<String> wrong(Said said, AtomicReference<String> last) {
    return switch (reading.apply(said)) {
      case Reading.Good<T> good -> Optional.empty();
      case Reading.Wrong<T> bad -> {
        String why = JsonPreview.cut(bad.why(), ERROR_CHARS);
        last.set(why);
        yield Optional.of(why);
      }
    };
  }

  private static String spoken(InferenceReply reply) {
    return reply.text().isBlank() ? reply.reasoning() : reply.text();
  }
}
