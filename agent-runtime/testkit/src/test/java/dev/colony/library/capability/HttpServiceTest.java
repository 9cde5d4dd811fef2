package dev.colony.library.capability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.Settings;
import dev.colony.library.capability.HttpService.Method;
import dev.colony.library.capability.HttpTools.HttpToolSettings;
import dev.colony.library.capability.HttpTools.HttpTransport;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an allow-list lets through, and which addresses are the node's own. */
class HttpServiceTest {

  private static final HttpService API =
      HttpService.reading("https://api.example.com", "items").paths("/v1/*", "/status");
  private static final HttpService ANY = HttpService.reading("https://*.example.com:8443", "all");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://api.example.com/v1/items",
        "https://api.example.com:443/v1/items?q=..",
        "https://API.example.com/v1/",
        "https://api.example.com/status"
      })
  void whatFitsIsAllowed(String url) {
    assertThat(API.allows(Method.GET, URI.create(url))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://api.example.com/v1/items",
        "https://api.example.com:8443/v1/items",
        "https://api.example.com/v2/items",
        "https://api.example.com/v1/../admin",
        "https://api.example.com/v1/%2e%2E/admin",
        "https://api.example.com/v1/..;/admin",
        "https://api.example.com/v1/..%2fadmin",
        "https://api.example.com/v1/a%5c..%5cadmin",
        "https://api.example.com/v1//admin",
        "https://api.example.com/status/x",
        "https://user:pw@api.example.com/v1/items",
        "https://api.example.com@evil.org/v1/items",
        "https://api.example.com.evil.org/v1/items",
        "https://evil.org/v1/items",
        "https:///v1/items",
        "file:///v1/items",
        "v1/items"
      })
  void whatDoesNotFitIsNot(String url) {
    assertThat(API.allows(Method.GET, URI.create(url))).isFalse();
  }

  @Test
  void aStarStandsForHostsBelowAndNotForTheHostItself() {
    assertThat(ANY.allows(Method.GET, URI.create("https://a.b.example.com:8443/"))).isTrue();
    assertThat(ANY.allows(Method.GET, URI.create("https://example.com:8443/"))).isFalse();
    assertThat(ANY.allows(Method.GET, URI.create("https://badexample.com:8443/"))).isFalse();
    assertThat(ANY.allows(Method.POST, URI.create("https://a.example.com:8443/"))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, false",
    "10.1.2.3, false",
    "172.16.0.1, false",
    "192.168.1.1, false",
    "169.254.169.254, false",
    "100.64.0.1, false",
    "0.0.0.0, false",
    "255.255.255.255, false",
    "224.0.0.1, false",
    "198.18.0.1, false",
    "::1, false",
    "::, false",
    "fe80::1, false",
    "fd00::1, false",
    "::ffff:10.0.0.1, false",
    "::10.0.0.1, false",
    "64:ff9b::a00:1, false",
    "2002:a00:1::, false",
    "93.184.216.34, true",
    "100.128.0.1, true",
    "2606:2800:220:1::1, true"
  })
  void whichAddressesAreOpen(String address, boolean open) throws Exception {
    assertThat(HttpTools.open(InetAddress.getByName(address))).isEqualTo(open);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ftp://a.com", "https://a.com/x", "https://u@a.com", "a.com", "https://*", "*"})
  void anOriginThatIsNoneIsRefused(String origin) {
    assertThatThrownBy(() -> HttpService.reading(origin, ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("an origin is");
  }

  @Test
  void aHeaderThatNamesItsValueOtherwiseIsRefused() {
    assertThatThrownBy(() -> API.header("Authorization", "${secret:x}"))
        .hasMessageContaining("neither ${env:NAME} nor ${file:PATH}");
    assertThatThrownBy(() -> API.header("a b", "x")).hasMessageContaining("is not named a b");
  }

  /** A name may lead inside by the time at which it is the request's turn. */
  @Test
  void aHostThatHasMovedInsideMeanwhileIsNotAsked() {
    Iterator<String> addresses = List.of("93.184.216.34", "10.0.0.1").iterator();
    HttpTools tools =
        new HttpTools(
            Settings.read(HttpToolSettings.class, ConfigFactory.load()),
            (request, most, longest) -> {
              throw new AssertionError("asked " + request);
            },
            host -> new InetAddress[] {InetAddress.getByName(addresses.next())});
    URI url = URI.create("https://api.example.com/v1/items");
    tools.check(url, true);
    HttpTransport.Request request =
        new HttpTransport.Request(Method.GET, url, Map.of(), Optional.empty());
    assertThatThrownBy(() -> tools.exchange(request, true, 100, Duration.ofSeconds(5)))
        .isInstanceOfSatisfying(
            HttpTransport.Unanswered.class, failed -> assertThat(failed.sent()).isFalse())
        .hasMessageContaining("api.example.com is at 10.0.0.1, an address of this node");
  }
}
