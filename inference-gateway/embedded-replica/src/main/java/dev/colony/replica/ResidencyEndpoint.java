package dev.colony.replica;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.colony.inference.prefix.PageResidency.ResidentPage;
import dev.colony.replica.KvCache.Residency;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Semaphore;

/**
 * {@code GET /colony/residency?after=VERSION&incarnation=ID}: the pages in the cache, held back
 * until their version differs from {@code after}. Without parameters, or with those of an earlier
 * life of the replica, the answer comes at once.
 */
final class ResidencyEndpoint {

  private final String replica;
  private final String incarnation = UUID.randomUUID().toString();
  private final KvCache cache;
  private final Semaphore followers;
  private final Duration hold;
  private final Duration coalesce;

  ResidencyEndpoint(String replica, KvCache cache, EmbeddedReplicaSettings settings) {
    this.replica = replica;
    this.cache = cache;
    this.followers = new Semaphore(settings.maxFollowers());
    this.hold = settings.pollHold();
    this.coalesce = settings.coalesce();
  }

  void handle(HttpExchange exchange) throws ApiError, IOException, InterruptedException {
    if (!followers.tryAcquire()) {
      exchange.getResponseHeaders().set("Retry-After", "1");
      throw ApiError.overloaded("too many followers of the residency feed");
    }
    try {
      Exchanges.json(exchange, 200, json(await(query(exchange))));
    } finally {
      followers.release();
    }
  }

  private Residency await(Map<String, String> query) throws ApiError, InterruptedException {
    long after = after(query.get("after"));
    boolean sameLife = query.getOrDefault("incarnation", incarnation).equals(incarnation);
    if (after < 0 || !sameLife) {
      return cache.residencyOtherThan(-1, Duration.ZERO);
    }
    Residency residency = cache.residencyOtherThan(after, hold);
    if (residency.version() == after) {
      return residency;
    }
    KvCache.coalesce(coalesce);
    return cache.residencyOtherThan(-1, Duration.ZERO);
  }

  private static long after(String value) throws ApiError {
    if (value == null) {
      return -1;
    }
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw ApiError.invalid("after", "after must be a version number");
    }
  }

  private static Map<String, String> query(HttpExchange exchange) {
    Map<String, String> query = new HashMap<>();
    String raw = exchange.getRequestURI().getQuery();
    if (raw != null) {
      for (String pair : raw.split("&")) {
        int equals = pair.indexOf('=');
        if (equals > 0) {
          query.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
      }
    }
    return query;
  }

  private ObjectNode json(Residency residency) {
    ObjectNode root =
        Exchanges.JSON
            .createObjectNode()
            .put("replica", replica)
            .put("incarnation", incarnation)
            .put("version", residency.version());
    ArrayNode pages = root.putArray("pages");
    for (ResidentPage page : residency.pages()) {
      pages.addObject().put("id", page.id()).put("tokens", page.tokens());
    }
    return root;
  }
}
