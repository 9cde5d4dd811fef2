package dev.colony.library.policy;

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
import dev.colony.library.policy.PlannerArgs.PlannerModel;
import dev.colony.library.policy.PlanningPrompt.KeptPrompt;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A question to a model and the way to read its reply. A reply that cannot be read is shown to the
 * model, or to another that repairs replies, once more with what the reading says is wrong.
 * Whatever a model replies, nothing is thrown for it. A prompt that the model refuses as too long
 * is made shorter and asked again, see {@link PromptFit}.
 *
 * @param tools that the model has to call
 * @param reading of a reply. Called several times and on other threads, one after the other
 */
public record ModelQuestion<T>(List<Tool> tools, Function<Said, Reading<T>> reading) {

  private static final int ERROR_CHARS = 1000;
  private static final String UNREAD = "it could not be read";

  /**
   * A reply.
   *
   * @param text what the model said beside its calls
   */
  public record Said(String text, List<ToolCall> calls) {}

  public sealed interface Reading<T> {

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
   * @param reasoning why, on one line, bounded by {@link PolicySettings#REASONING_CHARS}; empty if
   *     it said nothing
   */
  public record Answer<T>(Reading<T> reading, String reasoning) {}

  public ModelQuestion {
    tools = List.copyOf(tools);
    if (tools.isEmpty()) {
      throw new IllegalArgumentException("a question has tools");
    }
  }

  /** One that the model answers by calling tools, at least one. */
  public static <T> ModelQuestion<T> calls(
      List<Tool> tools, Function<List<ToolCall>, Reading<T>> reading) {
    return new ModelQuestion<>(
        tools,
        said ->
            said.calls().isEmpty()
                ? new Reading.Wrong<>("it calls no tool")
                : reading.apply(said.calls()));
  }

  /**
   * Why no reply of a call can be used, on one line for the model; empty where the model gave none.
   */
  public static Optional<String> unusable(AgentException failure) {
    return failure.getCause() instanceof InferenceException of
            && of.kind() == InferenceException.Kind.BAD_REPLY
        ? Optional.of(JsonPreview.cut(of.fault().orElse(UNREAD), ERROR_CHARS))
        : Optional.empty();
  }

  /** What was wrong with a reply, and what it was. */
  private record Bad(String why, Said said) {

    static final Bad NONE = new Bad(UNREAD, new Said("", List.of()));

    /** The same reply, with the fault by which its call has failed, which is that of the last. */
    Bad fault(String last) {
      return new Bad(last, last.equals(why) ? said : NONE.said());
    }

    String whole() {
      String calls =
          said.calls().stream()
              .map(call -> call.name() + " " + call.arguments())
              .collect(Collectors.joining("\n"));
      String text = said.text().isBlank() ? calls : said.text() + "\n" + calls;
      return text.isBlank() ? "(nothing that could be read)" : text.strip();
    }
  }

  /**
   * Asks one model, which also repairs its reply.
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
    return ask(agent, name, prompt, model, Optional.empty(), settings);
  }

  /**
   * Asks.
   *
   * @param name of the call, unique within the iteration; a repair by another model is a call of
   *     its own, {@code NAME-repair}
   * @param repair the model that repairs a reply that cannot be read; empty for the one that gave
   *     it
   * @throws AgentException if a model cannot be asked
   */
  public Answer<T> ask(
      Agent agent,
      String name,
      PlanningPrompt prompt,
      PlannerModel model,
      Optional<PlannerModel> repair,
      PolicySettings settings) {
    AtomicReference<Bad> bad = new AtomicReference<>(Bad.NONE);
    Optional<Answer<T>> answer =
        ask(agent, name, prompt, List.of(), new Asking(model, repair.isEmpty()), settings, bad);
    if (answer.isEmpty() && repair.isPresent()) {
      List<ChatMessage> more =
          List.of(
              new ChatMessage.Assistant(bad.get().whole(), List.of()),
              new ChatMessage.User(
                  "This reply cannot be used: "
                      + bad.get().why()
                      + "\nReply again, with nothing but the corrected reply."));
      answer =
          ask(
              agent,
              name + "-repair",
              prompt,
              more,
              new Asking(repair.get(), false),
              settings,
              bad);
    }
    return answer.orElseGet(() -> new Answer<>(new Reading.Wrong<>(bad.get().why()), ""));
  }

  /** Which model is asked, and whether it repairs its own reply. */
  private record Asking(PlannerModel model, boolean repairs) {}

  /**
   * Empty for a reply that cannot be read.
   *
   * @param more messages behind those of the prompt
   */
  private Optional<Answer<T>> ask(
      Agent agent,
      String name,
      PlanningPrompt prompt,
      List<ChatMessage> more,
      Asking asking,
      PolicySettings settings,
      AtomicReference<Bad> bad) {
    int tokens = asking.model().answerTokens().orElse(settings.policy().answerTokens());
    ReplyForm form = asking.repairs() ? form(tokens, bad) : form(tokens, bad).unrepaired();
    AtomicReference<PlanningPrompt> sent = new AtomicReference<>(prompt);
    InferenceReply reply;
    try {
      reply =
          PromptFit.infer(
              agent,
              name,
              less -> {
                sent.set(prompt.shorter(less, page -> PromptFit.pageTokens(agent, List.of(page))));
                return new ModelCall(
                    prompt.system(),
                    sent.get().pages(),
                    messages(sent.get(), more),
                    form,
                    asking.model().sampling(),
                    asking.model().choice());
              });
    } catch (AgentException failure) {
      String why = unusable(failure).orElseThrow(() -> failure);
      bad.updateAndGet(last -> last.fault(why));
      return Optional.empty();
    }
    KeptPrompt.keep(agent, sent.get(), reply, settings);
    String why = reply.toolCalls().isEmpty() ? reply.reasoning() : spoken(reply);
    return Optional.of(
        new Answer<>(
            reading.apply(new Said(reply.text(), reply.toolCalls())),
            JsonPreview.cut(why.strip(), PolicySettings.REASONING_CHARS)));
  }

  private static List<ChatMessage> messages(PlanningPrompt prompt, List<ChatMessage> more) {
    List<ChatMessage> messages = new ArrayList<>(prompt.messages());
    if (messages.isEmpty()) {
      messages.add(new ChatMessage.User("What do you do next?"));
    }
    messages.addAll(more);
    return messages;
  }

  private ReplyForm form(int tokens, AtomicReference<Bad> bad) {
    return ReplyForm.text(tokens)
        .tools(tools, ToolChoice.REQUIRED)
        .callCheck(calls -> wrong(new Said("", calls), bad));
  }

  private Optional<String> wrong(Said said, AtomicReference<Bad> last) {
    return switch (reading.apply(said)) {
      case Reading.Good<T> good -> Optional.empty();
      case Reading.Wrong<T> bad -> {
        String why = JsonPreview.cut(bad.why(), ERROR_CHARS);
        last.set(new Bad(why, said));
        yield Optional.of(why);
      }
    };
  }

  private static String spoken(InferenceReply reply) {
    return reply.text().isBlank() ? reply.reasoning() : reply.text();
  }
}
