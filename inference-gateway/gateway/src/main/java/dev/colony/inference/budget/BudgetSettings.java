package dev.colony.inference.budget;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigUtil;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import dev.colony.inference.Budget;
import dev.colony.inference.budget.PriceTable.Prices;
import dev.colony.inference.budget.Reservation.RateLimit;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Settings of budgets and rates; {@code reference.conf} says what each does.
 *
 * @param models what the named models cost and how often they may be asked
 */
public record BudgetSettings(Given given, Map<String, ModelBudget> models) {

  /** Where the settings stand in a configuration. */
  public static final String PATH = "colony.inference.budget";

  /**
   * For how long what a node's calls have reserved is held back while nothing is heard of the node;
   * then the prompts of its calls count as spent, and no more. Longer than the longest pause of a
   * node, whose calls would be taken for lost.
   */
  public static final Duration LEASE = Duration.ofMinutes(2);

  private static final String MODELS = "colony.inference.models";
  private static final String MOST = "4000000000000000000";
  private static final String MOST_COST = "1e40";

  /** For how long a tenant's budget is. */
  public enum Period {
    DAY,
    MONTH,
    TOTAL;

    /** Its name, in which an instant lies; days begin at midnight UTC. */
    public String of(Instant at) {
      String date = at.atZone(ZoneOffset.UTC).toLocalDate().toString();
      return switch (this) {
        case DAY -> date;
        case MONTH -> date.substring(0, date.lastIndexOf('-'));
        case TOTAL -> "total";
      };
    }

    /** When the one is over in which an instant lies; empty where it never is. */
    public Optional<Instant> end(Instant at) {
      LocalDate date = at.atZone(ZoneOffset.UTC).toLocalDate();
      Optional<LocalDate> next =
          switch (this) {
            case DAY -> Optional.of(date.plusDays(1));
            case MONTH -> Optional.of(date.withDayOfMonth(1).plusMonths(1));
            case TOTAL -> Optional.empty();
          };
      return next.map(day -> day.atStartOfDay(ZoneOffset.UTC).toInstant());
    }
  }

  /**
   * The settings that stand in one section.
   *
   * @param keep how long sums are kept after the last call that they count
   */
  @Section(PATH)
  public record Given(
      Period period,
      @Range(min = "1 d", max = "3650 d") Duration keep,
      ModelBudget usualModel,
      TenantBudget usualTenant,
      @Section("usual-tenant") Map<String, TenantBudget> tenants) {}

  /** What a million tokens of a model cost, and how often it may be asked. */
  public record ModelBudget(
      @Range(min = "0", max = MOST_COST) BigDecimal prompt,
      @Range(min = "0", max = MOST_COST) BigDecimal cached,
      @Range(min = "0", max = MOST_COST) BigDecimal completion,
      @Range(min = "1", max = MOST) Optional<Long> requestsPerMinute,
      @Range(min = "1", max = MOST) Optional<Long> tokensPerMinute) {

    Prices prices() {
      return new Prices(prompt, cached, completion);
    }

    RateLimit rate(String name) {
      return new RateLimit(name, whole(requestsPerMinute), whole(tokensPerMinute));
    }
  }

  /**
   * What a tenant may take.
   *
   * @param tokens in a period, as {@code cost}
   * @param sessionTokens in each of its sessions
   * @param runTokens in each of its runs that has no budget of its own
   */
  public record TenantBudget(
      @Range(min = "1", max = MOST) Optional<Long> tokens,
      @Range(min = "0", max = MOST_COST) Optional<BigDecimal> cost,
      @Range(min = "1", max = MOST) Optional<Long> sessionTokens,
      @Range(min = "0", max = MOST_COST) Optional<BigDecimal> sessionCost,
      @Range(min = "1", max = MOST) Optional<Long> runTokens,
      @Range(min = "0", max = MOST_COST) Optional<BigDecimal> runCost,
      @Range(min = "1", max = MOST) Optional<Long> requestsPerMinute,
      @Range(min = "1", max = MOST) Optional<Long> tokensPerMinute) {

    public Budget inAll() {
      return new Budget(tokens, cost);
    }

    public Budget session() {
      return new Budget(sessionTokens, sessionCost);
    }

    public Budget run() {
      return new Budget(runTokens, runCost);
    }

    RateLimit rate(String name) {
      return new RateLimit(name, whole(requestsPerMinute), whole(tokensPerMinute));
    }
  }

  /** Reads the settings under {@link #PATH}, and the budgets of the named models. */
  public static BudgetSettings fromConfig(Config config) {
    return new BudgetSettings(Settings.read(Given.class, config), models(config));
  }

  /** Reads the prices alone. */
  public static PriceTable prices(Config config) {
    return prices(Settings.read(ModelBudget.class, config, PATH + ".usual-model"), models(config));
  }

  private static PriceTable prices(ModelBudget usual, Map<String, ModelBudget> models) {
    Map<String, Prices> prices = new HashMap<>();
    models.forEach((name, one) -> prices.put(name, one.prices()));
    return new PriceTable(usual.prices(), prices);
  }

  /** What each of the named models says of its budget, with what is usual where it says nothing. */
  private static Map<String, ModelBudget> models(Config config) {
    Config usual = config.getConfig(PATH + ".usual-model");
    Config models = config.getConfig(MODELS);
    Map<String, ModelBudget> all = new HashMap<>();
    for (String name : models.root().keySet()) {
      Config model = models.getConfig(ConfigUtil.quoteString(name));
      Config own = model.hasPath("budget") ? model.getConfig("budget") : ConfigFactory.empty();
      String path = MODELS + "." + name + ".budget";
      Settings.known(own, Settings.keys(ModelBudget.class), path);
      all.put(name, Settings.of(ModelBudget.class, own.withFallback(usual), path));
    }
    return all;
  }

  /** What tokens cost. */
  public PriceTable prices() {
    return prices(given.usualModel(), models);
  }

  public Period period() {
    return given.period();
  }

  public Duration keep() {
    return given.keep();
  }

  /** What a tenant may take. */
  public TenantBudget of(String tenant) {
    return given.tenants().getOrDefault(tenant, given.usualTenant());
  }

  /** The rate of a tenant. */
  public RateLimit rate(String tenant) {
    return of(tenant).rate("tenant " + tenant);
  }

  /**
   * The rate of a model, if it has one.
   *
   * @param model its name there; empty for the one that has none
   */
  public Optional<RateLimit> modelRate(String model) {
    ModelBudget budget = models.getOrDefault(model, given.usualModel());
    return Optional.of(budget.rate("model " + model)).filter(RateLimit::bounded);
  }

  private static OptionalLong whole(Optional<Long> bound) {
    return bound.map(OptionalLong::of).orElse(OptionalLong.empty());
  }
}
