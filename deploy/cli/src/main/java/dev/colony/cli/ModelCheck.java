package dev.colony.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.UpRecord;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Progress;
import dev.colony.inference.InferenceException;
import dev.colony.inference.gateway.ModelCatalog;
import dev.colony.inference.gateway.ModelCatalog.ModelEntry;
import dev.colony.inference.provider.FoundServer;
import dev.colony.inference.provider.ModelProbe;
import dev.colony.inference.provider.ModelSearch;
import dev.colony.inference.provider.ProviderSettings;
import dev.colony.inference.replicas.ReplicaSettings;
import dev.colony.vcm.mapping.GroupingSettings;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** Refuses a model server that cannot be used before anything depends on it. */
public final class ModelCheck {

  private static final Pattern UNAUTHORIZED = Pattern.compile(" answered 40[13]\\b");

  /** What answers where no server is configured. */
  static final String EMBEDDED = "the embedded replica";

  /** Where a server is looked for, and what to do where there is none. */
  static final String LOOKED =
      ModelSearch.LOOKED
          + "; start one, for example: ollama run qwen2.5-coder:7b; or name one by"
          + " --model-url";

  /** How long a server that may be computing another call is waited for. */
  private static final Duration BUSY = Duration.ofMinutes(3);

  private ModelCheck() {}

  /**
   * What {@code --model-url} was given.
   *
   * @param text null where it was not
   * @throws CommandFailure if it is no http or https URL
   */
  public static Optional<URI> url(String text) {
    if (text == null) {
      return Optional.empty();
    }
    try {
      URI url = new URI(text);
      if (("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
          && url.getHost() != null) {
        return Optional.of(url);
      }
    } catch (URISyntaxException notOne) {
      // refused below, in the same words
    }
    throw CommandFailure.badInput(
        "--model-url " + text + ": give an http or https URL, for example http://gpu-1:8000/v1");
  }

  /**
   * Which model answers calls that ask for none, in words that tell it from another. Asks the
   * server where one is given.
   *
   * @param server empty for what the configuration says
   * @param who begins the line that refuses it
   * @param notice is told which of several models of a server that is, where none was named, and
   *     that a server is waited for
   */
  public static String asked(
      Optional<URI> server, Config config, String who, Consumer<String> notice) {
    return model(server, config, who, notice).name();
  }

  /**
   * The model that answers.
   *
   * @param name in words that tell it from another
   * @param contextTokens empty where its server does not say
   */
  record Model(String name, OptionalLong contextTokens) {

    /** Pages are counted with another vocabulary than the model's, which makes more of most. */
    private static final double VOCABULARY = 1.3;

    private static final long REPLY_TOKENS = 2000;
    private static final long PROMPT_TOKENS = 700;
    private static final long LEAST_PAGE = 128;
    private static final String PAGE_SIZE = "colony.vcm.grouping.page-size-tokens";

    /** The configuration with pages that the model takes whole, with a question and a reply. */
    Config paged(Config config) {
      if (contextTokens.isEmpty()) {
        return config;
      }
      long context = contextTokens.getAsLong();
      long room = context - Math.min(REPLY_TOKENS, context / 4) - PROMPT_TOKENS;
      long fits = Math.max(LEAST_PAGE, (long) (room / VOCABULARY));
      return fits >= GroupingSettings.fromConfig(config).pageSizeTokens()
          ? config
          : config.withValue(PAGE_SIZE, ConfigValueFactory.fromAnyRef(fits));
    }
  }

  /** The same, with what its server says of it. */
  static Model model(Optional<URI> server, Config config, String who, Consumer<String> notice) {
    if (server.isEmpty()) {
      return new Model(configured(config), OptionalLong.empty());
    }
    ModelProbe.Served served = of(config, who, settings -> waited(server.get(), settings, notice));
    if (served.listed().size() > 1 && ProviderSettings.fromConfig(config).model().isEmpty()) {
      notice.accept(
          "%s lists %d models: %s is asked; name another with COLONY_MODEL"
              .formatted(server.get(), served.listed().size(), served.asked().id()));
    }
    return new Model(served.asked().id(), served.asked().contextTokens());
  }

  /**
   * What a command that names no server takes of those on this machine, if anything.
   *
   * @param named a model that it has to have
   */
  static Optional<FoundServer> found(Config config, Optional<String> named) {
    ProviderSettings settings = ProviderSettings.fromConfig(config);
    Optional<String> model = named.or(settings::model);
    return FoundServer.best(
        search(config).stream()
            .flatMap(one -> (model.isEmpty() ? Optional.of(one) : one.with(model.get())).stream())
            .toList());
  }

  /** All servers on this machine, on the usual ports. */
  static List<FoundServer> search(Config config) {
    return of(config, "", ModelSearch::onThisMachine);
  }

  /** A server of one slot answers nothing while it computes a call. */
  private static ModelProbe.Served waited(
      URI server, ProviderSettings settings, Consumer<String> notice) throws InterruptedException {
    try {
      return ModelProbe.check(server, ModelProbe.PATIENCE, settings);
    } catch (InferenceException late) {
      if (late.kind() != InferenceException.Kind.TIMEOUT) {
        throw late;
      }
      notice.accept(
          "%s takes connections and has not answered for %d s: waiting up to %d s for it"
              .formatted(server, ModelProbe.PATIENCE.toSeconds(), BUSY.toSeconds()));
      return ModelProbe.check(server, BUSY, settings);
    }
  }

  /** What is at an address; empty where it answers, but as no model server. */
  static Optional<FoundServer> kind(URI server, Config config) {
    return of(
        config, "--model-url:", settings -> ModelSearch.at(server, settings, ModelProbe.PATIENCE));
  }

  /**
   * Whether a command that names no server looks for one: where nothing else is configured and a
   * person sees which was taken.
   */
  static boolean searches(Config config) {
    return searches(config, Progress.onTerminal(), System.getenv("CI"));
  }

  /**
   * The same.
   *
   * @param ci what continuous integration sets; null for nothing
   */
  static boolean searches(Config config, boolean terminal, String ci) {
    return terminal
        && (ci == null || ci.isBlank() || ci.equals("false"))
        && configured(config).equals(EMBEDDED)
        // A key belongs to a server that is named, and goes to no other.
        && ProviderSettings.fromConfig(config).apiKey().isEmpty();
  }

  /**
   * Refuses a budget of money that bounds nothing, since the tokens of the model that answers cost
   * nothing.
   *
   * @throws CommandFailure that names the settings of its prices
   */
  static void priced(Config config, StateDirectory state) {
    Optional<UpRecord> up = UpRecord.find(state);
    Optional<String> unpriced =
        up.map(UpRecord::unpriced).orElseGet(() -> ModelCatalog.fromConfig(config).unpriced());
    if (unpriced.isPresent()) {
      throw CommandFailure.badInput(
          "--budget: %s, so that no amount of money bounds the run: set %s in the --config of %s"
              .formatted(
                  up.isPresent()
                      ? "the model of the cluster that is up in " + state.root() + " has no price"
                      : "the model has no price",
                  unpriced.get(),
                  up.isPresent() ? "colony up" : "the run"));
    }
  }

  private static String configured(Config config) {
    ModelCatalog catalog = ModelCatalog.fromConfig(config);
    ReplicaSettings places =
        catalog
            .entry(catalog.usual())
            .map(ModelEntry::replicas)
            .orElseGet(() -> ReplicaSettings.fromConfig(config));
    if (!places.listed()) {
      return EMBEDDED;
    }
    String model = catalog.client(catalog.usual()).model().orElse("the first model");
    String at = places.dns().or(places::kubernetes).orElseGet(() -> places.servers().toString());
    return (catalog.usual().isEmpty() ? "" : catalog.usual() + ": ") + model + " at " + at;
  }

  /**
   * Blocks until the server has answered.
   *
   * @param who begins the line that refuses it
   */
  static ModelProbe.Served check(URI server, Config config, String who) {
    return of(config, who, settings -> ModelProbe.check(server, ModelProbe.PATIENCE, settings));
  }

  /** The same of {@code --model-url}, and has it answer calls of each kind. */
  static ModelProbe.Examined examine(URI server, Config config) {
    check(server, config, "--model-url:");
    return of(
        config,
        "--model-url:",
        settings -> ModelProbe.examine(server, settings.bounds().firstTokenTimeout(), settings));
  }

  @FunctionalInterface
  private interface Asking<T> {
    T with(ProviderSettings settings) throws InterruptedException;
  }

  private static <T> T of(Config config, String who, Asking<T> asking) {
    ProviderSettings settings = ProviderSettings.fromConfig(config);
    try {
      return asking.with(settings);
    } catch (InferenceException failure) {
      boolean unknown = UNAUTHORIZED.matcher(failure.getMessage()).find();
      throw new CommandFailure(
          ExitCode.MODEL_UNAVAILABLE,
          who
              + " "
              + failure.getMessage()
              + (unknown
                  ? settings.apiKey().isPresent()
                      ? "; COLONY_MODEL_API_KEY holds another key than it takes"
                      : "; set COLONY_MODEL_API_KEY to a key of it"
                  : ""),
          failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted", interrupted);
    }
  }
}
