package dev.colony.server.metrics;

import com.sun.management.OperatingSystemMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Set;

/**
 * The process and its JVM, as Micrometer shows them but for two whose names Prometheus forbids: one
 * counts nanoseconds, the other ends like a part of a histogram.
 */
final class JvmFigures implements AutoCloseable {

  /** Listens to the garbage collector until it is closed. */
  private final JvmGcMetrics collections = new JvmGcMetrics();

  /** Micrometer's names of those two, which {@link JvmFigures} shows under others. */
  static final Set<String> REPLACED = Set.of("process.cpu.time", "system.cpu.count");

  JvmFigures(MeterRegistry registry) {
    List<MeterBinder> binders =
        List.of(
            collections,
            new JvmMemoryMetrics(),
            new JvmThreadMetrics(),
            new ProcessorMetrics(),
            new FileDescriptorMetrics(),
            new UptimeMetrics());
    binders.forEach(binder -> binder.bindTo(registry));
    if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
      FunctionCounter.builder("process.cpu", system, one -> one.getProcessCpuTime() / 1e9)
          .baseUnit("seconds")
          .register(registry);
    }
    Runtime runtime = Runtime.getRuntime();
    Gauge.builder("system.cpus", runtime, Runtime::availableProcessors).register(registry);
  }

  @Override
  public void close() {
    collections.close();
  }
}
