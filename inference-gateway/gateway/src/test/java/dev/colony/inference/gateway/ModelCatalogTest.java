package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigResolveOptions;
import dev.colony.inference.InferenceException;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.gateway.ModelCatalog.ModelEntry;
import dev.colony.inference.provider.Dialect;
import dev.colony.inference.replicas.ReplicaSettings;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelCatalogTest {

  private static final String FOUR =
      """
      models {
        large {
          url = "https://api.openai.com/v1", model = gpt-5, dialect = openai
          tags = [smart], fallbacks = [medium, own]
          budget { prompt = "1.25", completion = 10 }
        }
        medium {
          url = "https://api.mistral.ai/v1", tags = [smart, fast], fallbacks = [small]
          budget { prompt = "0.4", completion = 2 }
        }
        small { url = "http://gpu-2:8000", tags = [fast], budget { completion = "0.1" } }
        own { replicas.servers = ["http://gpu-1:8000", "http://gpu-3:8000"] }
      }
      """;

  private static ModelCatalog catalog(String lines) {
    return ModelCatalog.fromConfig(config(lines));
  }

  @Test
  void withoutModelsThereIsTheOneWithoutAName() {
    ModelCatalog catalog = catalog("client.model = here");
    assertThat(catalog.names()).containsExactly(ModelCatalog.UNNAMED);
    assertThat(catalog.asked(ModelChoice.DEFAULT)).containsExactly(ModelCatalog.UNNAMED);
    assertThat(catalog.client(ModelCatalog.UNNAMED).model()).contains("here");
    assertThatThrownBy(() -> catalog.asked(ModelChoice.named("large")))
        .isInstanceOfSatisfying(
            InferenceException.class,
            refused -> assertThat(refused.kind()).isEqualTo(InferenceException.Kind.REFUSED))
        .hasMessage("no model large is configured; colony.inference.models has none");
  }

  @Test
  void theSettingsOfPricesAreNamedWhereTheDefaultHasNone() {
    assertThat(catalog("").unpriced())
        .contains("colony.inference.budget.usual-model.prompt and .completion");
    assertThat(catalog("budget.usual-model.completion = \"0.1\"").unpriced()).isEmpty();
    assertThat(catalog("default-model = small\n" + FOUR).unpriced()).isEmpty();
    assertThat(catalog("default-model = own\n" + FOUR).unpriced())
        .contains("colony.inference.models.own.budget.prompt and .completion");
  }

  /** Depth first: what stands in for a model comes before what stands in after it. */
  @ParameterizedTest
  @CsvSource({
    "large, large medium small own",
    "medium, medium small",
    "small, small",
    "own, own",
  })
  void aModelIsAskedBeforeThoseThatStandInForIt(String name, String asked) {
    assertThat(catalog(FOUR).asked(ModelChoice.named(name))).containsExactly(asked.split(" "));
    assertThat(catalog(FOUR + "default-model = " + name).asked(ModelChoice.DEFAULT))
        .containsExactly(asked.split(" "));
  }

  @ParameterizedTest
  @CsvSource({
    "fast, small medium",
    "smart, medium large small own",
    "fast+smart, medium small",
  })
  void ofThoseWithAllTagsTheCheapestIsAskedFirst(String tags, String asked) {
    assertThat(catalog(FOUR).asked(ModelChoice.tagged(tags.split("\\+"))))
        .containsExactly(asked.split(" "));
  }

  @Test
  void whatIsNotConfiguredIsRefusedWithWhatIs() {
    ModelCatalog catalog = catalog(FOUR);
    String all = "these are: large [smart], medium [fast, smart], own, small [fast]";
    assertThatThrownBy(() -> catalog.asked(ModelChoice.named("huge")))
        .hasMessage("no model huge is configured; " + all);
    assertThatThrownBy(() -> catalog.asked(ModelChoice.tagged("slow", "fast")))
        .hasMessage("no model with the tags [fast, slow] is configured; " + all);
  }

  @Test
  void aModelTakesBoundsFromTheClientAndNeitherItsKeyNorItsServers() {
    ModelCatalog catalog =
        catalog(
            """
            client { api-key = secret, model = here, dialect = vllm, first-token-timeout = 7 s
              headers { X-Team = ours }, body { top_k = 1 }, context-tokens = 100 }
            replicas { servers = ["http://gpu-9:8000"], check-path = "/live", kv-events.port = 5557 }
            models {
              a { url = "http://gpu-1:8000" }
              b { replicas { kubernetes = "vllm:8000", check-path = "/b", kv-events.port = 5558 }
                first-token-timeout = 9 s }
            }
            """);
    assertThat(catalog.client("a").apiKey()).isEmpty();
    assertThat(catalog.client("a").model()).isEmpty();
    assertThat(catalog.client("a").dialect()).isEmpty();
    assertThat(catalog.client("a").headers()).isEmpty();
    assertThat(catalog.client("a").body()).isEmpty();
    assertThat(catalog.client("a").contextTokens()).isEmpty();
    assertThat(catalog.client("a").bounds().firstTokenTimeout()).isEqualTo(Duration.ofSeconds(7));
    assertThat(catalog.client("b").bounds().firstTokenTimeout()).isEqualTo(Duration.ofSeconds(9));
    ReplicaSettings a = catalog.entry("a").orElseThrow().replicas();
    assertThat(a.servers()).extracting(Object::toString).containsExactly("http://gpu-1:8000");
    assertThat(a.checkPath()).isEqualTo("/live");
    assertThat(a.kvEvents(a.addresses().getFirst())).isEmpty();
    ReplicaSettings b = catalog.entry("b").orElseThrow().replicas();
    assertThat(b.servers()).isEmpty();
    assertThat(b.kubernetes()).contains("vllm:8000");
    assertThat(b.checkPath()).isEqualTo("/b");
    assertThat(b.kvEvents().port()).isEqualTo(5558);
  }

  @Test
  void aNameMayHaveWhatNamesOfModelsHave() {
    ModelCatalog catalog =
        catalog("models { \"meta/llama-3.1\" { url = \"http://a\", dialect = vllm } }");
    assertThat(catalog.asked(ModelChoice.named("meta/llama-3.1")))
        .containsExactly("meta/llama-3.1");
    assertThat(catalog.client("meta/llama-3.1").dialect()).map(Dialect::name).contains("vllm");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "models { a {} } | colony.inference.models.a.url = \"\" | http://host:port",
        "models { a { url = \"ftp://a\" } } | models.a.url | is ftp://a, but must be",
        "models { a { url = \"http://a\", replicas.dns = \"http://b\" } } | models.a: of url and"
            + " replicas | only one",
        "models { a { url = \"http://a\", fallbacks = [b] } } | models.a.fallbacks = [b] has b |"
            + " allowed are: [a]",
        "models { a { url = \"http://a\", fallbacks = [a] } } | models.a.fallbacks = [a] leads back"
            + " to a | allowed",
        "models { a { url = \"http://a\", tags = [x, x] } } | models.a.tags = [x, x] has x twice |"
            + " allowed",
        "models { a { url = \"http://a\", color = red } } | models.a.color | fallbacks",
        "models { a { url = \"http://a\", replicas.color = red } } | models.a.replicas.color"
            + " | servers",
        "models { a { url = \"http://a\", budget.color = red } } | models.a.budget.color"
            + " | prompt",
        "models { a { url = \"http://a\", budget.prompt = -1 } } | models.a.budget.prompt |"
            + " is -1, but must be 0 to",
        "models { a { url = \"http://a\", dialect = smoke } } | models.a.dialect = smoke | vllm",
        "models { a { url = \"http://a\", max-reply-tokens = 0 } } | models.a.max-reply-tokens |"
            + " is 0, but must be 1 to",
        "models { a { url = \"http://a\", model = text-embedding-3-small } } | models.a.model ="
            + " text-embedding-3-small | allowed",
        "models { a { replicas { servers = [\"http://a\"], kv-events.port = -1 } } } |"
            + " models.a.replicas.kv-events.port | is -1, but must be 0 to 65535",
        "models { \"a:b\" { url = \"http://a\" } } | models.a:b is no name of a model | allowed",
        "models { a { provider = x, url = \"http://a\" } } | models.a: of provider, url and"
            + " replicas | only one",
        "models { a { provider = x, replicas.dns = \"http://b\" } } | models.a: of provider, url"
            + " | only one",
        "models { a { provider = \"x y\" } } | models.a.provider = x y is no name | allowed",
        "models { a { provider = x, body.top_k = 1 } } | models.a: headers and body | allowed",
        "models { a { url = \"http://a\", provider-settings.b = 1 } } | models.a.provider-settings"
            + " | allowed",
        "default-model = huge | colony.inference.default-model = huge is no model | allowed are:"
            + " []",
        "client.model = bge-m3 | colony.inference.client.model = bge-m3 | allowed",
      })
  void aBadValueIsRefusedWithItsPathAndWhatIsAllowed(String line, String value, String allowed) {
    Config config = config(line.strip());
    assertThatThrownBy(() -> ModelCatalog.fromConfig(config))
        .hasMessageContaining(value.strip())
        .hasMessageContaining(allowed.strip());
  }

  @Test
  void aModelOfALibraryHasAPlaceAndTheLibrarysSettings() {
    ModelEntry model =
        catalog("models { a/1 { provider = x, model = m, provider-settings { region = here } } }")
            .entry("a/1")
            .orElseThrow();
    assertThat(model.replicas().addresses()).containsExactly(URI.create("provider://x/a/1"));
    assertThat(model.hosted(model.replicas().addresses().getFirst())).isTrue();
    ModelEntry.Library library = model.library().orElseThrow();
    assertThat(library.settings().model()).contains("m");
    assertThat(library.settings().config().getString("region")).isEqualTo("here");
    assertThatThrownBy(library::open)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "colony.inference.models.a/1.provider = x is not on the class path, allowed are those"
                + " that are: []; put its jar there");
  }

  @Test
  void theExampleOfThePageIsAsItSays() throws Exception {
    String page = Files.readString(Path.of("../../docs/operations/model-servers.md"));
    String example = page.split("```hocon\n")[1].split("```")[0];
    ModelCatalog catalog = ModelCatalog.fromConfig(over(ConfigFactory.parseString(example)));
    assertThat(catalog.usual()).isEqualTo("own");
    assertThat(catalog.asked(ModelChoice.named("large"))).containsExactly("large", "claude", "own");
    assertThat(catalog.asked(ModelChoice.tagged("smart")))
        .containsExactly("large", "claude", "own");
    assertThat(catalog.prices().of("large").cached()).isEqualByComparingTo("0.125");
  }

  @Test
  void aCycleOfSeveralIsRefused() {
    assertThatThrownBy(() ->
            catalog(
                """
                models {
                  a { url = "http://a", fallbacks = [b] }
                  b { url = "http://b", fallbacks = [c] }
                  c { url = "http://c", fallbacks = [a] }
                }
                """))
        .hasMessageContaining(".fallbacks = ")
        .hasMessageContaining("leads back to ");
  }

  @Test
  void aKeyStandsInNoFileOfSettings(@TempDir Path folder) throws Exception {
    Path written =
        Files.writeString(
            folder.resolve("colony.conf"),
            "colony.inference.models.a { url = \"http://a\", api-key = sk-123 }");
    Config literal = over(ConfigFactory.parseFile(written.toFile()));
    assertThatThrownBy(() -> ModelCatalog.fromConfig(literal))
        .hasMessageContaining("colony.inference.models.a.api-key has a value in ")
        .hasMessageContaining("colony.conf")
        .hasMessageContaining("api-key-file")
        .hasMessageNotContaining("sk-123");
    Path named =
        Files.writeString(
            folder.resolve("named.conf"),
            "colony.inference.models.a { url = \"http://a\", api-key = ${?PATH} }");
    ModelCatalog catalog = ModelCatalog.fromConfig(over(ConfigFactory.parseFile(named.toFile())));
    assertThat(catalog.client("a").apiKey()).contains(System.getenv("PATH"));
    assertThat(catalog.toString()).doesNotContain(System.getenv("PATH"));
    Path key = Files.writeString(folder.resolve("key"), "sk-456\n");
    ModelCatalog filed = catalog("models.a { url = \"http://a\", api-key-file = \"" + key + "\" }");
    assertThat(filed.client("a").apiKey()).contains("sk-456");
    assertThat(filed.toString()).doesNotContain("sk-456");
  }

  private static Config over(Config file) {
    return file.withFallback(ConfigFactory.defaultReferenceUnresolved())
        .resolve(ConfigResolveOptions.defaults());
  }

  @Test
  void aModelsPriceIsSaidInOnePlace() {
    ModelCatalog catalog = catalog(FOUR + "budget.usual-model { prompt = 3, cached = 1 }");
    assertThat(catalog.prices().of("large").prompt()).isEqualByComparingTo("1.25");
    assertThat(catalog.prices().of("large").cached()).isEqualByComparingTo("1");
    assertThat(catalog.prices().of("own").prompt()).isEqualByComparingTo("3");
    assertThat(catalog.prices().of(ModelCatalog.UNNAMED).prompt()).isEqualByComparingTo("3");
    assertThat(catalog.prices().models()).containsOnlyKeys("large", "medium", "small", "own");
  }
}
