package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolChoice;
import dev.colony.inference.provider.ModelClient.Attempt;
import dev.colony.inference.provider.ModelClient.UsageTally;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Asks a server what it serves, before anything depends on it. */
public final class ModelProbe {

  /** How long a server that a command names may take to list its models. */
  public static final Duration PATIENCE = Duration.ofSeconds(10);

  /** A server that has a context of that length is not waited for until it has read so much. */
  private static final Duration LENGTH_TIMEOUT = Duration.ofSeconds(10);

  private static final String SET_IT = "set colony.inference.client.context-tokens";

  /** A template that shows tools takes more tokens for one. */
  private static final int UNSEEN = 20;

  private static final int ROOM = 256;
  private static final JsonNode SCHEMA =
      JsonNodeFactory.instance
          .objectNode()
          .put("type", "object")
          .put("additionalProperties", false)
          .<ObjectNode>set(
              "properties",
              JsonNodeFactory.instance
                  .objectNode()
                  .set("ready", JsonNodeFactory.instance.objectNode().put("type", "boolean")))
          .set("required", JsonNodeFactory.instance.arrayNode().add("ready"));

  private ModelProbe() {}

  /**
   * What a server serves.
   *
   * @param asked the model that answers: the configured one, else the first that answers prompts
   * @param listed all, at least one
   */
  public record Served(ServedModel asked, List<ServedModel> listed) {}

  /**
   * The models that the server lists. Blocks up to {@code timeout}.
   *
   * @throws InferenceException with one line that says what is wrong: the address is none, no
   *     server answers, an error status, no answer in time, or an answer that is not a list of
   *     models; or, where a model is configured, that the server does not serve it; or that none of
   *     those that it serves answers prompts
   */
  public static Served check(URI server, Duration timeout, ProviderSettings settings)
      throws InterruptedException {
    String scheme = server.getScheme();
    if (server.getHost() == null || !("http".equals(scheme) || "https".equals(scheme))) {
      throw new InferenceException(Kind.REFUSED, server + " is no http or https address", null);
    }
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    HttpClient http = ModelServer.httpClient(threads);
    try {
      List<ServedModel> models = new ModelServer(server, settings, http).models(timeout);
      List<String> names = models.stream().map(ServedModel::id).toList();
      ServedModel asked =
          settings
              .model()
              .map(name -> models.stream().filter(one -> one.id().equals(name)).findFirst())
              .orElseGet(() -> ModelServer.choose(models))
              .orElseThrow(() ->
                  new InferenceException(
                      Kind.REFUSED,
                      server
                          + " serves "
                          + names
                          + settings
                              .model()
                              .map(name -> ", not " + name)
                              .orElse(", of which none answers prompts by its name: name one"),
                      null));
      return new Served(asked, models);
    } catch (CallFailure e) {
      throw e.toInferenceException();
    } finally {
      http.shutdownNow();
      threads.shutdownNow();
    }
  }

  /**
   * What was found of a server by asking it.
   *
   * @param dialect as the calls found it out
   * @param contextTokens of the model; empty where the server does not say
   * @param findings one for each kind of call
   */
  public record Examined(
      String model, Dialect dialect, OptionalLong contextTokens, List<Finding> findings) {}

  /**
   * How a server took one kind of call.
   *
   * @param call {@code text}, {@code stream}, {@code json}, {@code tools} or {@code length}
   * @param works false where agents lack something by it
   */
  public record Finding(String call, boolean works, String words) {}

  /**
   * Has the server's model answer with a text, with JSON by a schema and with the call of a tool,
   * and where it does not tell its context, gives it a prompt that most have no room for. Blocks,
   * {@code timeout} for each call at most.
   *
   * @throws InferenceException with one line that says why it does not answer with a text
   */
  public static Examined examine(URI server, Duration timeout, ProviderSettings settings)
      throws InterruptedException {
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    HttpClient http = ModelServer.httpClient(threads);
    try {
      ModelServer asked = new ModelServer(server, settings, http);
      Examination examination = new Examination(asked, timeout);
      List<Finding> findings = new ArrayList<>();
      findings.add(examination.text());
      findings.add(examination.stream());
      findings.add(examination.json());
      findings.add(examination.tools());
      findings.add(examination.length());
      return new Examined(
          examination.text.model(), asked.dialect(), asked.contextTokens(), findings);
    } finally {
      http.shutdownNow();
      threads.shutdownNow();
    }
  }

  /** The calls of an examination, in their order. */
  private static final class Examination {

    private static final Tool TOOL =
        new Tool(
            "list_files",
            "Lists the files of a directory.",
            JsonNodeFactory.instance
                .objectNode()
                .put("type", "object")
                .<ObjectNode>set(
                    "properties",
                    JsonNodeFactory.instance
                        .objectNode()
                        .set(
                            "directory",
                            JsonNodeFactory.instance
                                .objectNode()
                                .put("type", "string")
                                .put("maxLength", 200)))
                .set("required", JsonNodeFactory.instance.arrayNode().add("directory")));

    /** More words than the context of a server has tokens that was started as it comes. */
    private static final int MANY_WORDS = 20_000;

    private final ModelServer server;
    private final Duration timeout;
    private final AtomicInteger parts = new AtomicInteger();
    private Attempt.Answered text;

    Examination(ModelServer server, Duration timeout) {
      this.server = server;
      this.timeout = timeout;
    }

    Finding text() throws InterruptedException {
      long from = System.nanoTime();
      text = ask("Name three colours.", ReplyForm.text(ROOM / 4).cutAllowed(), timeout).orThrow();
      double first = text.firstToken().toMillis() / 1e3;
      double rest = (System.nanoTime() - from) / 1e9 - first;
      long written = text.usage().completionTokens();
      return new Finding(
          "text",
          true,
          "first token after %.1f s, then %.0f a second (%d tokens read, %d written)"
              .formatted(
                  first, written / Math.max(rest, 1e-3), text.usage().promptTokens(), written));
    }

    /** How the text came. */
    Finding stream() {
      return parts.get() > 1 || text.usage().completionTokens() <= parts.get()
          ? new Finding("stream", true, "comes in %d parts".formatted(parts.get()))
          : new Finding(
              "stream", false, "comes as a whole: nothing is shown before a reply has ended");
    }

    Finding json() throws InterruptedException {
      return switch (ask(
          "Reply with a JSON object whose only property \"ready\" is true.",
          ReplyForm.json(SCHEMA, ROOM),
          timeout)) {
        case Asked.Replied replied -> new Finding("json", true, "holds to a schema");
        case Asked.Not not ->
            new Finding("json", false, "does not hold to a schema: " + not.why().getMessage());
      };
    }

    Finding tools() throws InterruptedException {
      return switch (ask(
          "Which files are in the directory src? Use the tool.",
          ReplyForm.text(ROOM).tools(List.of(TOOL), ToolChoice.AUTO),
          timeout)) {
        case Asked.Replied replied when replied.answer().toolCalls().isEmpty() ->
            new Finding(
                "tools",
                false,
                replied.answer().usage().promptTokens() <= text.usage().promptTokens() + UNSEEN
                    ? "its template shows the model no tools: agents that plan get nowhere"
                    : "the model did not call the tool that it was to use: agents that plan may get"
                        + " nowhere");
        case Asked.Replied replied ->
            new Finding(
                "tools", true, server.dialect().tools() ? "are called" : "are called by prompt");
        case Asked.Not not ->
            new Finding("tools", false, "are not called: " + not.why().getMessage());
      };
    }

    Finding length() throws InterruptedException {
      if (server.contextTokens().isPresent()) {
        return new Finding(
            "length", true, "longer prompts than its context are cut before they are sent");
      }
      Asked asked = ask("word ".repeat(MANY_WORDS), ReplyForm.text(1).cutAllowed(), LENGTH_TIMEOUT);
      return switch (asked) {
        case Asked.Replied replied ->
            new Finding(
                "length",
                true,
                "takes %d tokens".formatted(replied.answer().usage().promptTokens()));
        case Asked.Not not when not.why().kind() == Kind.TOO_LONG ->
            new Finding(
                "length",
                true,
                server.contextTokens().isPresent()
                    ? "its refusal tells its context of %d tokens"
                        .formatted(server.contextTokens().getAsLong())
                    : "its refusal does not tell its context: " + SET_IT);
        case Asked.Not not ->
            new Finding(
                "length",
                false,
                "%d words are answered with: %s; %s"
                    .formatted(MANY_WORDS, not.why().getMessage(), SET_IT));
      };
    }

    private Asked ask(String question, ReplyForm form, Duration within)
        throws InterruptedException {
      Attempt attempt =
          server.complete(
              InferenceRequest.of(
                  "probe",
                  Prompt.of("You are being checked.", List.of(), question),
                  form,
                  CallContext.within(within)),
              server.base().toString(),
              within,
              part -> {
                if (part instanceof InferenceDelta.Text
                    || part instanceof InferenceDelta.Reasoning) {
                  parts.incrementAndGet();
                }
              },
              new UsageTally());
      return switch (attempt) {
        case Attempt.Answered answered -> new Asked.Replied(answered);
        case Attempt.Failed failed -> new Asked.Not(failed.failure());
      };
    }

    /** What came of one call. */
    private sealed interface Asked {

      record Replied(Attempt.Answered answer) implements Asked {}

      record Not(InferenceException why) implements Asked {}

      default Attempt.Answered orThrow() {
        return switch (this) {
          case Replied replied -> replied.answer();
          case Not not -> throw not.why();
        };
      }
    }
  }
}
