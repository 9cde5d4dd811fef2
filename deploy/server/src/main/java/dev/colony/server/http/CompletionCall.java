package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.CallContext;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Sampling;
import dev.colony.server.http.RequestFields.ReplyDemands;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A request for a reply, of any of the protocols. Immutable.
 *
 * @param model as the caller calls it
 * @param preamble what the application says before the conversation; empty for none
 * @param messages at least one
 * @param extraFields of the request, that nothing here knows; for the model server as they are
 * @param stream whether the reply is to come in parts
 * @param usageAtEnd whether the parts end with one that has the usage
 * @param colony what is said under {@code colony}
 * @param raw the request
 */
public record CompletionCall(
    String model,
    String preamble,
    List<ChatMessage> messages,
    ReplyForm form,
    Sampling sampling,
    Map<String, JsonNode> extraFields,
    boolean stream,
    boolean usageAtEnd,
    Extension colony,
    ObjectNode raw) {

  public CompletionCall {
    messages = List.copyOf(messages);
  }

  /**
   * Reads what all protocols say alike, and takes what nothing has read for the model server's.
   *
   * @param request whose other fields have been read
   * @param stop its field that has the texts which end a reply
   * @param effort of reasoning, as it was given
   * @param mostPages that a request may name
   */
  static CompletionCall of(
      RequestFields request,
      Conversation conversation,
      String stop,
      ReplyForm form,
      Optional<String> effort,
      boolean usageAtEnd,
      int mostPages) {
    Map<String, JsonNode> extra = new LinkedHashMap<>();
    final String model = request.required("model");
    final Sampling sampling = ReplyDemands.sampling(request, stop, effort, extra);
    final boolean stream = request.flag("stream");
    final Extension colony = Extension.of(request, mostPages);
    extra.putAll(request.rest());
    request.any("prompt_cache_key").ifPresent(key -> extra.put("prompt_cache_key", key));
    return new CompletionCall(
        model,
        conversation.preamble(),
        conversation.messages(),
        form,
        sampling,
        extra,
        stream,
        usageAtEnd,
        colony,
        request.whole());
  }

  /**
   * What no other server of the protocol knows.
   *
   * @param tenant on whose behalf a key of all tenants asks
   * @param session whose calls stay on one replica where that pays; of an agent, the run's
   * @param cacheKey stands for the session where there is none
   * @param namespace of an agent's run
   * @param pages ids, in the order in which they are to stand in the prompt
   */
  public record Extension(
      Optional<String> tenant,
      Optional<String> session,
      Optional<String> cacheKey,
      Optional<String> namespace,
      int priority,
      List<String> pages) {

    static final String FIELD = "colony";

    /**
     * Reads the field.
     *
     * @param mostPages that one call may name
     */
    static Extension of(RequestFields request, int mostPages) {
      Optional<String> cacheKey =
          request.any("prompt_cache_key").filter(JsonNode::isTextual).map(JsonNode::textValue);
      RequestFields own =
          request
              .object(FIELD)
              .orElseGet(() -> new RequestFields(JsonNodeFactory.instance.objectNode(), FIELD));
      List<String> pages = own.texts("pages");
      if (pages.size() > mostPages) {
        throw OpenAiError.invalid(
            own.path("pages"),
            "colony.pages names %d pages, and may name %d".formatted(pages.size(), mostPages));
      }
      Extension extension =
          new Extension(
              own.text("tenant"),
              own.text("session"),
              cacheKey,
              own.text("namespace"),
              (int)
                  own.integer("priority", CallContext.LEAST, CallContext.MOST)
                      .orElse(CallContext.USUAL),
              List.copyOf(pages));
      own.none();
      return extension;
    }
  }

  /**
   * The call to the gateway.
   *
   * @param context its session counts where the request names none
   */
  public InferenceRequest request(
      String callId, ModelChoice choice, List<PromptPage> pages, CallContext context) {
    return new InferenceRequest(
        callId,
        choice,
        new Prompt(preamble, pages, messages),
        form,
        sampling,
        context
            .session(colony.session().or(colony::cacheKey).or(context::session))
            .priority(colony.priority()),
        extraFields);
  }

  /** What the user says last; empty where the user says nothing. */
  public Optional<String> lastWords() {
    return messages.reversed().stream()
        .filter(ChatMessage.User.class::isInstance)
        .map(user -> ((ChatMessage.User) user).text())
        .findFirst();
  }

  /**
   * A conversation as it is read: what the application says first is its preamble. Not thread-safe.
   */
  static final class Conversation {

    private final String field;
    private final List<String> preamble = new ArrayList<>();
    private final List<ChatMessage> messages = new ArrayList<>();

    /**
     * @param field of the request that has the messages
     */
    Conversation(String field) {
      this.field = field;
    }

    /** What the application says. */
    void instruction(String text) {
      if (messages.isEmpty()) {
        preamble.add(text);
      } else {
        messages.add(new ChatMessage.Instruction(text));
      }
    }

    void add(ChatMessage message) {
      messages.add(message);
    }

    String preamble() {
      return messages.isEmpty() ? "" : String.join("\n\n", preamble);
    }

    /** All after the preamble; what the application says alone is asked of the model. */
    List<ChatMessage> messages() {
      if (messages.isEmpty() && preamble.isEmpty()) {
        throw OpenAiError.invalid(field, field + " must have at least one message");
      }
      return messages.isEmpty()
          ? List.of(new ChatMessage.Instruction(String.join("\n\n", preamble)))
          : messages;
    }
  }
}
