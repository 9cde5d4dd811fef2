package dev.colony.server.node;

import com.typesafe.config.Config;
import dev.colony.agent.TraceParent;
import dev.colony.blackboard.settings.Settings;
import dev.colony.node.SpanListener;
import dev.colony.server.InvalidConfigurationException;
import dev.colony.server.TracingSettings;
import dev.colony.server.metrics.NodeMetrics.SpanFigures;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.IdGenerator;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Sends the spans of a node's runs to a collector, by OpenTelemetry's protocol OTLP over HTTP. They
 * wait in a bounded queue; one that finds it full is dropped and counted. OpenTelemetry's SDK reads
 * its own environment variables ({@code OTEL_EXPORTER_OTLP_HEADERS} and so on). Thread-safe.
 */
final class OtlpTraces implements SpanListener, AutoCloseable {

  private static final int QUEUE = 2048;
  private static final long CLOSE_SECONDS = 5;

  private final Ids ids = new Ids();
  private final Semaphore room = new Semaphore(QUEUE);
  private final SpanFigures figures;
  private final OpenTelemetrySdk sdk;
  private final Tracer tracer;

  private OtlpTraces(String endpoint, String node, SpanFigures figures) {
    this.figures = figures;
    this.sdk =
        AutoConfiguredOpenTelemetrySdk.builder()
            .disableShutdownHook()
            .addPropertiesSupplier(() ->
                Map.of(
                    "otel.service.name", "colony", "otel.exporter.otlp.protocol", "http/protobuf"))
            .addPropertiesCustomizer(given -> {
              Map<String, String> fixed = new HashMap<>();
              fixed.put("otel.exporter.otlp.endpoint", endpoint);
              fixed.put("otel.traces.exporter", "otlp");
              fixed.put("otel.metrics.exporter", "none");
              fixed.put("otel.logs.exporter", "none");
              // Places are given out here, so that what is dropped is counted.
              fixed.put("otel.bsp.max.queue.size", Integer.toString(QUEUE));
              return fixed;
            })
            .addResourceCustomizer(
                (resource, given) -> resource.toBuilder().put("service.instance.id", node).build())
            .addSpanExporterCustomizer((exporter, given) -> new Counted(exporter, this::left))
            // A trace is kept or not as a whole, by who has begun it or by the collector.
            .addSamplerCustomizer((sampler, given) -> Sampler.alwaysOn())
            .addTracerProviderCustomizer((provider, given) -> provider.setIdGenerator(ids))
            .build()
            .getOpenTelemetrySdk();
    this.tracer = sdk.getTracer("dev.colony");
  }

  /**
   * @param node its name
   * @return empty where the settings name no collector
   * @throws InvalidConfigurationException if the address or an environment variable cannot be used
   */
  static Optional<OtlpTraces> start(Config config, String node, SpanFigures figures) {
    String endpoint = Settings.read(TracingSettings.class, config).endpoint();
    if (endpoint.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new OtlpTraces(endpoint, node, figures));
    } catch (ConfigurationException | IllegalArgumentException unusable) {
      throw new InvalidConfigurationException(
          "colony.tracing.endpoint or a variable OTEL_... cannot be used: " + unusable.getMessage(),
          unusable);
    }
  }

  @Override
  public void ended(Span told) {
    if (!room.tryAcquire()) {
      figures.dropped().increment();
      return;
    }
    ids.next.set(told.self());
    try {
      SpanBuilder builder =
          tracer
              .spanBuilder(told.name())
              .setSpanKind(told.operation().equals("chat") ? SpanKind.CLIENT : SpanKind.INTERNAL)
              .setStartTimestamp(told.begun())
              .setParent(parent(told));
      told.attributes().forEach((name, value) -> put(builder, name, value));
      io.opentelemetry.api.trace.Span span = builder.startSpan();
      told.error().ifPresent(kind -> span.setStatus(StatusCode.ERROR));
      span.end(told.ended());
    } finally {
      ids.next.remove();
    }
  }

  private static Context parent(Span told) {
    return told.parent()
        .map(id ->
            Context.root()
                .with(
                    io.opentelemetry.api.trace.Span.wrap(
                        SpanContext.createFromRemoteParent(
                            told.self().traceId(),
                            id,
                            TraceFlags.getSampled(),
                            TraceState.getDefault()))))
        .orElseGet(Context::root);
  }

  private static void put(SpanBuilder span, String name, Object value) {
    switch (value) {
      case Long number -> span.setAttribute(name, number);
      case List<?> texts ->
          span.setAttribute(
              AttributeKey.stringArrayKey(name), texts.stream().map(Object::toString).toList());
      default -> span.setAttribute(name, value.toString());
    }
  }

  private void left(int count, boolean sent) {
    room.release(count);
    (sent ? figures.sent() : figures.dropped()).increment(count);
  }

  /** Sends what waits, for 5 s at most. */
  @Override
  public void close() {
    sdk.shutdown().join(CLOSE_SECONDS, TimeUnit.SECONDS);
  }

  /** The ids of the span that the calling thread makes. */
  private static final class Ids implements IdGenerator {

    private final ThreadLocal<TraceParent> next = new ThreadLocal<>();

    @Override
    public String generateSpanId() {
      return next.get().spanId();
    }

    @Override
    public String generateTraceId() {
      return next.get().traceId();
    }
  }

  @FunctionalInterface
  private interface Left {
    void left(int count, boolean sent);
  }

  /** An exporter whose spans are counted. */
  private record Counted(SpanExporter exporter, Left counter) implements SpanExporter {

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      int count = spans.size();
      CompletableResultCode sent = exporter.export(spans);
      return sent.whenComplete(() -> counter.left(count, sent.isSuccess()));
    }

    @Override
    public CompletableResultCode flush() {
      return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
      return exporter.shutdown();
    }
  }
}
