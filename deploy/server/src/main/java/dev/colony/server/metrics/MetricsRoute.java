package dev.colony.server.metrics;

import static org.apache.pekko.http.javadsl.server.Directives.complete;
import static org.apache.pekko.http.javadsl.server.Directives.get;
import static org.apache.pekko.http.javadsl.server.Directives.path;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.StatusCodes;
import org.apache.pekko.http.javadsl.server.Route;

/** {@code /metrics}, for the management port. */
final class MetricsRoute {

  private static final ContentType TEXT =
      ContentTypes.parse("text/plain; version=0.0.4; charset=utf-8");

  private MetricsRoute() {}

  static Route of(Supplier<String> text) {
    return path(
        "metrics",
        () ->
            get(() ->
                complete(
                    StatusCodes.OK,
                    HttpEntities.create(TEXT, text.get().getBytes(StandardCharsets.UTF_8)))));
  }
}
