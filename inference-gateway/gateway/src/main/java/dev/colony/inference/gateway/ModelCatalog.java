package dev.colony.inference.gateway;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValueFactory;
import dev.colony.blackboard.settings.Settings;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.budget.BudgetSettings;
import dev.colony.inference.budget.PriceTable;
import dev.colony.inference.budget.PriceTable.Prices;
import dev.colony.inference.gateway.ModelCatalog.ModelEntry.Library;
import dev.colony.inference.provider.ModelProvider;
import dev.colony.inference.provider.ProviderSettings;
import dev.colony.inference.replicas.ReplicaSettings;
import java.math.BigDecimal;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * All models that calls may ask for: one that has no name, which is at {@code --model-url}, at the
 * servers of {@code colony.inference.replicas} or within the nodes, and those of {@code
 * colony.inference.models}.
 *
 * @param client how the servers of the one without a name are asked
 * @param models the others, by their names
 * @param usual the name of the default; {@link #UNNAMED} for the one without a name
 */
public record ModelCatalog(
    ProviderSettings client, Map<String, ModelEntry> models, String usual, PriceTable prices) {

  /** What stands for the name of the model that has none. */
  public static final String UNNAMED = "";

  /** Where the named models stand in a configuration. */
  public static final String PATH = "colony.inference.models";

  private static final String USUAL = "colony.inference.default-model";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]{0,127}");

  private static final Pattern PROVIDER = Pattern.compile("[A-Za-z][A-Za-z0-9-]{0,63}");

  /** Bounds that a model takes over from the settings of the client where it has none. */
  private static final List<String> BOUNDS =
      List.of("first-token-timeout", "next-token-timeout", "max-reply-tokens");

  /** What a model has that says nothing of it. */
  private static final Config UNSAID =
      ConfigFactory.parseString(
          """
          url = "", replicas {}, provider = "", provider-settings {}
          model = "", api-key = "", api-key-file = "", dialect = auto, headers {}, body {}
          context-tokens = 0, tags = [], fallbacks = [], budget {}
          """);

  /** What says where replicas are, and what they publish: a model takes none of it over. */
  private static final Config NOWHERE =
      ConfigFactory.parseString(
          """
          servers = [], dns = "", kubernetes = ""
          kv-events { port = 0, replay-port = 0 }
          """);

  public ModelCatalog {
    models = Map.copyOf(models);
  }

  /**
   * Reads the models.
   *
   * @throws IllegalArgumentException naming path, value and what is allowed
   */
  public static ModelCatalog fromConfig(Config config) {
    Config client = config.getConfig(ProviderSettings.PATH);
    Config usual = UNSAID;
    for (String bound : BOUNDS) {
      usual = usual.withValue(bound, client.getValue(bound));
    }
    Config replicas = NOWHERE.withFallback(config.getConfig(ReplicaSettings.PATH));
    Config sections = config.getConfig(PATH);
    Map<String, ModelEntry> models = new TreeMap<>();
    for (String name : sections.root().keySet()) {
      Config own = sections.getConfig(ConfigUtil.quoteString(name));
      String path = PATH + "." + name;
      Settings.known(own, usual.root().keySet(), path);
      models.put(name, entry(name, path, own.withFallback(usual), replicas));
    }
    models.values().forEach(one -> fallbacksExist(one, models.keySet()));
    models.keySet().forEach(name -> noCycle(name, models));
    return new ModelCatalog(
        ProviderSettings.fromConfig(config),
        models,
        usual(config.getString(USUAL).strip(), models.keySet()),
        BudgetSettings.prices(config));
  }

  private static String usual(String name, Set<String> names) {
    if (!name.isEmpty() && !names.contains(name)) {
      throw new IllegalArgumentException(
          "%s = %s is no model of %s, allowed are: %s".formatted(USUAL, name, PATH, sorted(names)));
    }
    return name;
  }

  private static ModelEntry entry(String name, String path, Config c, Config usual) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "%s is no name of a model, allowed are 1 to 128 letters, digits, '.', '_', '/' and '-'"
              .formatted(path));
    }
    ProviderSettings client = ProviderSettings.read(path, c);
    return new ModelEntry(
        name,
        client,
        library(path, c, client),
        replicas(name, path, c, usual),
        Set.copyOf(distinct(path + ".tags", c.getStringList("tags"))),
        distinct(path + ".fallbacks", c.getStringList("fallbacks")));
  }

  private static Optional<Library> library(String path, Config c, ProviderSettings client) {
    String provider = c.getString("provider").strip();
    Config own = c.getConfig("provider-settings");
    if (provider.isEmpty()) {
      if (!own.isEmpty()) {
        throw new IllegalArgumentException(
            path + ".provider-settings has settings, allowed are some only with a provider");
      }
      return Optional.empty();
    }
    if (!PROVIDER.matcher(provider).matches()) {
      throw new IllegalArgumentException(
          "%s.provider = %s is no name of a provider, allowed are a letter and up to 63 letters, digits and '-'"
              .formatted(path, provider));
    }
    if (!client.headers().isEmpty() || !client.body().isEmpty()) {
      throw new IllegalArgumentException(
          path + ": headers and body are for servers, allowed are none with a provider");
    }
    return Optional.of(
        new Library(
            provider, new ModelProvider.Settings(path, client.model(), client.apiKey(), own)));
  }

  private static ReplicaSettings replicas(String name, String path, Config c, Config usual) {
    Config own = c.getConfig("replicas");
    Settings.known(own, usual.root().keySet(), path + ".replicas");
    String url = c.getString("url").strip();
    Config all = own.withFallback(usual);
    String provider = c.getString("provider").strip();
    if (!provider.isEmpty()) {
      if (!url.isEmpty() || !own.isEmpty()) {
        throw new IllegalArgumentException(
            path + ": of provider, url and replicas only one may say where the model is");
      }
      return ReplicaSettings.read(path + ".replicas", usual)
          .at(URI.create("provider://" + provider + "/" + name));
    }
    if (!url.isEmpty()) {
      ReplicaSettings.address(path + ".url", url);
      if (ReplicaSettings.read(path + ".replicas", all).listed()) {
        throw new IllegalArgumentException(
            path + ": of url and replicas only one may say where the model is");
      }
      all = all.withValue("servers", ConfigValueFactory.fromIterable(List.of(url)));
    }
    ReplicaSettings replicas = ReplicaSettings.read(path + ".replicas", all);
    if (!replicas.listed()) {
      throw new IllegalArgumentException(
          path
              + ".url = \"\" says not where the model is, allowed is http://host:port or https, or"
              + " one of servers, dns and kubernetes in replicas");
    }
    return replicas;
  }

  private static List<String> distinct(String path, List<String> names) {
    Set<String> seen = new LinkedHashSet<>();
    for (String name : names) {
      if (name.isBlank() || !seen.add(name)) {
        throw new IllegalArgumentException(
            "%s = %s has %s, allowed are names that differ"
                .formatted(path, names, name.isBlank() ? "a blank name" : name + " twice"));
      }
    }
    return List.copyOf(seen);
  }

  private static void fallbacksExist(ModelEntry one, Set<String> names) {
    for (String fallback : one.fallbacks()) {
      if (!names.contains(fallback)) {
        throw new IllegalArgumentException(
            "%s.%s.fallbacks = %s has %s, which is no model of %s, allowed are: %s"
                .formatted(PATH, one.name(), one.fallbacks(), fallback, PATH, sorted(names)));
      }
    }
  }

  private static void noCycle(String name, Map<String, ModelEntry> models) {
    Set<String> reached = new LinkedHashSet<>();
    models.get(name).fallbacks().forEach(next -> collect(next, models, reached));
    if (reached.contains(name)) {
      throw new IllegalArgumentException(
          "%s.%s.fallbacks = %s leads back to %s, allowed are models whose own fallbacks do not"
              .formatted(PATH, name, models.get(name).fallbacks(), name));
    }
  }

  private static void collect(String name, Map<String, ModelEntry> models, Set<String> reached) {
    if (reached.add(name) && models.containsKey(name)) {
      models.get(name).fallbacks().forEach(next -> collect(next, models, reached));
    }
  }

  private static Collection<String> sorted(Collection<String> names) {
    return new TreeSet<>(names);
  }

  /**
   * The models that a call asks, in their order, each before those that stand in for it: at least
   * one, each once. A choice by tags is the cheapest that has them all, by the sum of its prices of
   * a prompt's and a reply's token, of several the first by name; then the next cheapest; then what
   * stands in for these.
   *
   * @throws InferenceException of kind REFUSED if there is none
   */
  public List<String> asked(ModelChoice choice) {
    Set<String> chain = new LinkedHashSet<>();
    switch (choice) {
      case ModelChoice.Default any -> collect(usual, models, chain);
      case ModelChoice.Named named -> {
        if (!models.containsKey(named.model())) {
          throw refused("no model " + named.model() + " is configured");
        }
        collect(named.model(), models, chain);
      }
      case ModelChoice.Tagged tagged -> {
        List<String> fit =
            models.values().stream()
                .filter(one -> one.tags().containsAll(tagged.tags()))
                .map(ModelEntry::name)
                .sorted(
                    Comparator.comparing((String name) -> price(name))
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
        if (fit.isEmpty()) {
          throw refused("no model with the tags " + tagged.tags() + " is configured");
        }
        chain.addAll(fit);
        fit.forEach(
            name -> models.get(name).fallbacks().forEach(next -> collect(next, models, chain)));
      }
    }
    return new ArrayList<>(chain);
  }

  /**
   * The settings by which tokens of the default model would cost something, for people; empty where
   * they do.
   */
  public Optional<String> unpriced() {
    return price(usual).signum() > 0
        ? Optional.empty()
        : Optional.of(
            (usual.equals(UNNAMED) ? BudgetSettings.PATH + ".usual-model" : of(usual) + ".budget")
                + ".prompt and .completion");
  }

  private static String of(String name) {
    return PATH + "." + ConfigUtil.joinPath(name);
  }

  private BigDecimal price(String name) {
    Prices price = prices.of(name);
    return price.prompt().add(price.completion());
  }

  private InferenceException refused(String what) {
    String are =
        models.isEmpty()
            ? PATH + " has none"
            : "these are: "
                + String.join(
                    ", ",
                    new TreeMap<>(models)
                        .values().stream()
                            .map(one ->
                                one.tags().isEmpty()
                                    ? one.name()
                                    : one.name() + " " + sorted(one.tags()))
                            .toList());
    return new InferenceException(Kind.REFUSED, what + "; " + are, null);
  }

  /** How the servers of a model are asked. */
  public ProviderSettings client(String name) {
    return name.equals(UNNAMED) ? client : models.get(name).client();
  }

  /** Names of all models, the default first, then by name. */
  public List<String> names() {
    return Stream.concat(Stream.of(usual), models.keySet().stream().sorted()).distinct().toList();
  }

  /** The model of a name; empty for the one that has none. */
  public Optional<ModelEntry> entry(String name) {
    return Optional.ofNullable(models.get(name));
  }

  /**
   * A model of a name.
   *
   * @param name by which calls ask for it
   * @param client how its servers are asked
   * @param library that asks it; empty where it is asked at servers
   * @param replicas where these are; of a library's model one, at {@code provider://PROVIDER/NAME}
   * @param tags by which calls may ask for it, too
   * @param fallbacks names of those that are asked where it is not available, in their order
   */
  public record ModelEntry(
      String name,
      ProviderSettings client,
      Optional<Library> library,
      ReplicaSettings replicas,
      Set<String> tags,
      List<String> fallbacks) {

    /**
     * What asks a model.
     *
     * @param provider its name
     */
    public record Library(String provider, ModelProvider.Settings settings) {

      /**
       * Prepares for asking the model.
       *
       * @throws IllegalArgumentException if no library of the name is on the class path, or it does
       *     not take its settings
       */
      public ModelProvider.Chat open() {
        return ModelProvider.named(settings.path() + ".provider", provider).open(settings);
      }
    }

    /** Whether a server of it is judged by calls alone. */
    public boolean hosted(URI server) {
      return library.isPresent() || client.hosted(server);
    }
  }
}
