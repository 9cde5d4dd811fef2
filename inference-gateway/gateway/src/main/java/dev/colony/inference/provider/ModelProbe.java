package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Usage;
import dev.colony.inference.provider.ModelClient.Attempt;
import dev.colony.inference.provider.ModelClient.UsageTally;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Asks a server what it serves, before anything depends on it. */
public final class ModelProbe {

  /** How long a server that a command names may take to list its models. */
  public static final Duration PATIENCE = Duration.ofSeconds(10);

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
   * How a server answered one call.
   *
   * @param dialect as the call found it out
   * @param contextTokens of the model; empty where the server does not say
   */
  public record Answer(
      String model, Dialect dialect, OptionalLong contextTokens, Usage usage, Duration took) {}

  /**
   * Has the server's model answer one short call with a schema. Blocks up to {@code timeout}.
   *
   * @throws InferenceException with one line that says what is wrong
   */
  public static Answer ask(URI server, Duration timeout, ProviderSettings settings)
      throws InterruptedException {
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    HttpClient http = ModelServer.httpClient(threads);
    try {
      ModelServer asked = new ModelServer(server, settings, http);
      long from = System.nanoTime();
      Attempt attempt =
          asked.complete(
              InferenceRequest.of(
                  "probe",
                  Prompt.of(
                      "You are being checked.",
                      List.of(),
                      "Reply with a JSON object whose only property \"ready\" is true."),
                  ReplyForm.json(SCHEMA, ROOM),
                  CallContext.within(timeout)),
              server.toString(),
              timeout,
              part -> {},
              new UsageTally());
      return switch (attempt) {
        case Attempt.Answered answered ->
            new Answer(
                answered.model(),
                asked.dialect(),
                asked.contextTokens(),
                answered.usage(),
                Duration.ofNanos(System.nanoTime() - from));
        case Attempt.Failed failed -> throw failed.failure();
      };
    } finally {
      http.shutdownNow();
      threads.shutdownNow();
    }
  }
}
