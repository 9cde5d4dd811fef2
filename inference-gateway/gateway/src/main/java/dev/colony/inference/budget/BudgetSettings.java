package dev.colony.inference.budget;

import static dev.colony.inference.settings.Ranges.within;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigUtil;
import dev.colony.inference.Budget;
import dev.colony.inference.settings.NamedSettings;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;

/**
 * Settings of budgets and rates; {@code reference.conf} says what each does.
 *
 * @param usualModel the rate of a model that is not named
 * @param models the others' rates, by their names in {@code colony.inference.models}
 * @param usual of a tenant that is not named
 */
public record BudgetSettings(
    PriceTable prices,
    RateLimit usualModel,
    Map<String, RateLimit> models,
    TenantBudget usual,
    Map<String, TenantBudget> tenants,
    Period period,
    Duration lease,
    Duration keep) {

  /** Where the settings stand in a configuration. */
  public static final String PATH = "colony.inference.budget";

  private static final String MODELS = "colony.inference.models";
  private static final int MAX_DIGITS = 40;
  private static final String UNLIMITED = "unlimited";

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
   * What a tenant may take.
   *
   * @param inAll in a period
   * @param session in each of its sessions
   * @param run in each of its runs that has no budget of its own
   */
  public record TenantBudget(
      Budget inAll, Budget session, Budget run, OptionalLong requests, OptionalLong tokens) {}

  public BudgetSettings {
    models = Map.copyOf(models);
    tenants = Map.copyOf(tenants);
    within(PATH + ".lease", lease, Duration.ofSeconds(1), Duration.ofHours(1));
    within(PATH + ".keep", keep, Duration.ofDays(1), Duration.ofDays(3650));
  }

  /** Reads the settings under {@link #PATH}. */
  public static BudgetSettings fromConfig(Config config) {
    Config c = config.getConfig(PATH);
    Config model = c.getConfig("usual-model");
    Config tenant = c.getConfig("usual-tenant");
    return new BudgetSettings(
        prices(config),
        rate("", PATH + ".usual-model", model),
        ofModels(config, (path, one) -> rate("model " + name(path), path, one)),
        tenant(PATH + ".usual-tenant", tenant),
        NamedSettings.read(PATH, c, "tenants", tenant, BudgetSettings::tenant),
        period(c.getString("period")),
        c.getDuration("lease"),
        c.getDuration("keep"));
  }

  /** Reads the prices alone. */
  public static PriceTable prices(Config config) {
    Config c = config.getConfig(PATH);
    Config usual = c.getConfig("usual-model");
    return new PriceTable(
        prices(PATH + ".usual-model", usual), ofModels(config, BudgetSettings::prices));
  }

  /** What each of the named models says of its budget, with what is usual where it says nothing. */
  private static <T> Map<String, T> ofModels(Config config, BiFunction<String, Config, T> read) {
    Config usual = config.getConfig(PATH + ".usual-model");
    Config models = config.getConfig(MODELS);
    Map<String, T> all = new HashMap<>();
    for (String name : models.root().keySet()) {
      Config model = models.getConfig(ConfigUtil.quoteString(name));
      Config own = model.hasPath("budget") ? model.getConfig("budget") : ConfigFactory.empty();
      String path = MODELS + "." + name + ".budget";
      NamedSettings.known(path, own, usual);
      all.put(name, read.apply(path, own.withFallback(usual)));
    }
    return all;
  }

  /** What a tenant may take. */
  public TenantBudget of(String tenant) {
    return tenants.getOrDefault(tenant, usual);
  }

  /** The rate of a tenant. */
  public RateLimit rate(String tenant) {
    TenantBudget of = of(tenant);
    return new RateLimit("tenant " + tenant, of.requests(), of.tokens());
  }

  /**
   * The rate of a model, if it has one.
   *
   * @param model its name there; empty for the one that has none
   */
  public Optional<RateLimit> modelRate(String model) {
    RateLimit other = new RateLimit("model " + model, usualModel.requests(), usualModel.tokens());
    return Optional.of(models.getOrDefault(model, other)).filter(RateLimit::bounded);
  }

  private static String name(String path) {
    return path.substring((MODELS + ".").length(), path.length() - ".budget".length());
  }

  private static RateLimit rate(String name, String path, Config c) {
    return new RateLimit(
        name, whole(path, c, "requests-per-minute"), whole(path, c, "tokens-per-minute"));
  }

  private static TenantBudget tenant(String path, Config c) {
    return new TenantBudget(
        budget(path, c, "tokens", "cost"),
        budget(path, c, "session-tokens", "session-cost"),
        budget(path, c, "run-tokens", "run-cost"),
        whole(path, c, "requests-per-minute"),
        whole(path, c, "tokens-per-minute"));
  }

  private static Budget budget(String path, Config c, String tokens, String cost) {
    OptionalLong most = whole(path, c, tokens);
    Optional<BigDecimal> money =
        c.getString(cost).equals(UNLIMITED)
            ? Optional.empty()
            : Optional.of(decimal(path, c, cost));
    return new Budget(most.isPresent() ? Optional.of(most.getAsLong()) : Optional.empty(), money);
  }

  private static Prices prices(String path, Config c) {
    return new Prices(
        decimal(path, c, "prompt"), decimal(path, c, "cached"), decimal(path, c, "completion"));
  }

  private static OptionalLong whole(String path, Config c, String key) {
    return c.getString(key).equals(UNLIMITED)
        ? OptionalLong.empty()
        : OptionalLong.of(within(path + "." + key, c.getLong(key), 1, Long.MAX_VALUE / 2));
  }

  private static BigDecimal decimal(String path, Config c, String key) {
    String text = c.getString(key);
    try {
      BigDecimal value = text.length() > 2 * MAX_DIGITS ? null : new BigDecimal(text);
      if (value != null
          && value.signum() >= 0
          && value.precision() <= MAX_DIGITS
          && Math.abs((long) value.scale()) <= MAX_DIGITS) {
        return value;
      }
    } catch (NumberFormatException none) {
      // Said below.
    }
    throw new IllegalArgumentException(
        "%s.%s = %s is no amount, allowed are decimal numbers of at most %d digits from 0 on"
            .formatted(path, key, text, MAX_DIGITS));
  }

  private static Period period(String text) {
    for (Period one : Period.values()) {
      if (one.name().equalsIgnoreCase(text)) {
        return one;
      }
    }
    throw new IllegalArgumentException(
        PATH + ".period = " + text + " is no period, allowed are day, month, total");
  }
}
