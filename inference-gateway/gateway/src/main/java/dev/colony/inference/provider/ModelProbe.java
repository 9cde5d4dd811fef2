package dev.colony.inference.provider;

import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Asks a server what it serves, before anything depends on it. */
public final class ModelProbe {

  private ModelProbe() {}

  /**
   * The models that the server lists, at least one. Blocks up to {@code timeout}.
   *
   * @throws InferenceException with one line that says what is wrong: the address is none, no
   *     server answers, an error status, no answer in time, or an answer that is not a list of
   *     models; or, where a model is configured, that the server does not serve it
   */
  public static List<ServedModel> check(URI server, Duration timeout, ProviderSettings settings)
      throws InterruptedException {
    String scheme = server.getScheme();
    if (server.getHost() == null || !("http".equals(scheme) || "https".equals(scheme))) {
      throw new InferenceException(Kind.REFUSED, server + " is no http or https address", null);
    }
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    HttpClient http = ModelServer.httpClient(settings, threads);
    try {
      List<ServedModel> models = new ModelServer(server, settings, http).models(timeout);
      if (settings.model().isPresent()
          && models.stream().noneMatch(one -> one.id().equals(settings.model().get()))) {
        throw new InferenceException(
            Kind.REFUSED,
            server
                + " serves "
                + models.stream().map(ServedModel::id).toList()
                + ", not "
                + settings.model().get(),
            null);
      }
      return models;
    } catch (CallFailure e) {
      throw e.toInferenceException();
    } finally {
      http.shutdownNow();
      threads.shutdownNow();
    }
  }
}
