package dev.colony.inference.provider;

import java.lang.management.ManagementFactory;
import java.net.URI;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A model server that was found, and the model of it that is taken where none is named.
 *
 * @param chosen empty where none answers prompts on this machine
 * @param why the model was chosen, or none was; half a sentence
 */
public record FoundServer(
    URI url, Kind kind, List<Model> models, Optional<Model> chosen, String why) {

  public FoundServer {
    models = List.copyOf(models);
  }

  /** What serves, by its own answers. */
  public enum Kind {
    OLLAMA("Ollama"),
    LM_STUDIO("LM Studio"),
    LLAMA_CPP("llama.cpp"),
    LLAMA_CPP_PYTHON("llama-cpp-python"),
    VLLM("vLLM"),
    SGLANG("SGLang"),
    TGI("TGI"),
    /** It forwards to servers of others, which may be anywhere. */
    LITELLM("LiteLLM"),
    HOSTED("hosted service"),
    /** A cluster of ours: its models are agents. */
    COLONY("Colony"),
    OPENAI_COMPATIBLE("OpenAI-compatible");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    @Override
    public String toString() {
      return label;
    }

    /** By the dialect that a list of models tells, and by who owns its models. */
    static Optional<Kind> of(String dialect, String owner) {
      return Optional.ofNullable(
          switch (dialect) {
            case "ollama" -> OLLAMA;
            case "llama.cpp" -> LLAMA_CPP;
            case "llama-cpp-python" -> LLAMA_CPP_PYTHON;
            case "vllm" -> VLLM;
            case "litellm" -> LITELLM;
            default ->
                switch (owner) {
                  case "sglang" -> SGLANG;
                  case "organization_owner" -> LM_STUDIO;
                  case "colony" -> COLONY;
                  default -> null;
                };
          });
    }
  }

  /**
   * One of its models.
   *
   * @param contextTokens that a call has; empty where the server does not say, or not before it has
   *     loaded the model
   * @param mostTokens that the model may be loaded with
   * @param bytes of its weights
   * @param chats whether it answers prompts
   * @param elsewhere whether another machine computes it
   * @param tools whether its template shows tools; empty where the server does not say
   */
  public record Model(
      String id,
      OptionalLong contextTokens,
      OptionalLong mostTokens,
      OptionalLong bytes,
      boolean loaded,
      boolean chats,
      boolean elsewhere,
      Optional<Boolean> tools) {

    private static final Pattern BASE = Pattern.compile("[-:_.](base|text|pretrain(ed)?)\\b");
    private static final Pattern BILLIONS = Pattern.compile("(\\d+(?:\\.\\d+)?)b\\b");

    /** Of a weight as it is mostly quantized. */
    private static final double BYTES_A_PARAMETER = 0.6;

    Model silent() {
      return new Model(id, contextTokens, mostTokens, bytes, loaded, false, elsewhere, tools);
    }

    boolean instruct() {
      return !BASE.matcher(id.toLowerCase(Locale.ROOT)).find();
    }

    /** By the server, else by the number of parameters in its name; 0 where neither says it. */
    long size() {
      Matcher billions = BILLIONS.matcher(id.toLowerCase(Locale.ROOT));
      return bytes.orElseGet(() ->
          billions.find()
              ? (long) (Double.parseDouble(billions.group(1)) * 1e9 * BYTES_A_PARAMETER)
              : 0);
    }

    /** Its name for a person: of a file the last part. */
    public String name() {
      return id.startsWith("/") ? id.substring(id.lastIndexOf('/') + 1) : id;
    }
  }

  /** Which part of this machine's memory weights may take, beside the cache and all else. */
  private static final double SHARE = 0.7;

  /** Chooses of its models. */
  static FoundServer of(URI url, Kind kind, List<Model> models, Optional<String> named) {
    return of(url, kind, models, named, memory());
  }

  static FoundServer of(
      URI url, Kind kind, List<Model> models, Optional<String> named, long memoryBytes) {
    if (named.isPresent()) {
      Optional<Model> one = find(models, named.get());
      return new FoundServer(
          url, kind, models, one, one.isPresent() ? "it is named" : "it has no " + named.get());
    }
    List<Model> able = models.stream().filter(one -> one.chats() && !one.elsewhere()).toList();
    Optional<Model> loaded = largest(able.stream().filter(Model::loaded));
    if (loaded.isPresent()) {
      return new FoundServer(url, kind, models, loaded, "it is loaded");
    }
    long fits = (long) (memoryBytes * SHARE);
    Optional<Model> fitting =
        largest(able.stream().filter(one -> one.size() <= fits && one.instruct()))
            .or(() -> largest(able.stream().filter(one -> one.size() <= fits)));
    return new FoundServer(
        url,
        kind,
        models,
        fitting,
        fitting.isPresent()
            ? "the largest that fits into memory"
            : able.isEmpty()
                ? models.stream().anyMatch(Model::elsewhere)
                    ? "other machines compute its models: name one of them"
                    : "none of its models answers prompts"
                : "none of its models fits into memory");
  }

  /** The same server, with a model that was named; empty where it does not have it. */
  public Optional<FoundServer> with(String model) {
    return find(models, model)
        .map(one -> new FoundServer(url, kind, models, Optional.of(one), "it is named"));
  }

  /** Of several the first that has a model loaded, else the first that has one. */
  public static Optional<FoundServer> best(List<FoundServer> found) {
    List<FoundServer> able = found.stream().filter(one -> one.chosen().isPresent()).toList();
    return able.stream()
        .filter(one -> one.chosen().get().loaded())
        .findFirst()
        .or(() -> able.stream().findFirst());
  }

  /** Host and port as a person types them. */
  public String place() {
    String host = url.getHost().equals("127.0.0.1") ? "localhost" : url.getHost();
    return url.getPort() < 0 ? host : host + ":" + url.getPort();
  }

  private static Optional<Model> find(List<Model> models, String name) {
    return models.stream()
        .filter(one -> one.id().equals(name) || one.id().equals(name + ":latest"))
        .findFirst();
  }

  /** Of equal ones the first. */
  private static Optional<Model> largest(Stream<Model> models) {
    return models
        .sorted(Comparator.comparing(Model::instruct).thenComparingLong(Model::size).reversed())
        .findFirst();
  }

  private static long memory() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean machine
        ? machine.getTotalMemorySize()
        : Long.MAX_VALUE;
  }
}
