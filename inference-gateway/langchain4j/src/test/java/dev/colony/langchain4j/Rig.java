package dev.colony.langchain4j;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.hurried;

import com.typesafe.config.Config;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.gateway.ModelCatalog;
import dev.colony.inference.gateway.ModelCatalog.ModelEntry;
import dev.colony.inference.replicas.ReplicaMonitor;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.RoutingSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A gateway whose models are {@code lib}, by a factory, and {@code plain}, at a server. */
final class Rig implements AutoCloseable {

  final RecordingModelServer served = RecordingModelServer.start(r -> Reply.answer("by lib"));
  final RecordingModelServer plain = RecordingModelServer.start(r -> Reply.answer("by plain"));
  final HttpInferenceGateway gateway;
  private final List<AutoCloseable> opened = new ArrayList<>(List.of(served, plain));

  Rig(String factory, String... lines) {
    Config config =
        config(
                """
                default-model = lib
                models {
                  lib { provider = langchain4j, model = scripted-2
                    provider-settings { factory = "%s", base-url = "%s/v1" } }
                  plain { url = "%s" }
                }
                gateway { max-attempts = 3, overload-retries = 2 }
                """
                    .formatted(factory, served.uri(), plain.uri()),
                String.join("\n", lines))
            .resolve();
    ModelCatalog catalog = ModelCatalog.fromConfig(config);
    List<ReplicaSet> sets = new ArrayList<>();
    for (ModelEntry model : catalog.models().values()) {
      ReplicaMonitor monitor =
          ReplicaMonitor.start(
              model.name(), model.replicas(), model.replicas().source(name -> null).orElseThrow());
      monitor.judgeByCalls(model::hosted);
      opened.addFirst(monitor);
      sets.add(monitor);
    }
    try {
      gateway =
          new HttpInferenceGateway(
              hurried(config),
              catalog,
              RoutingSettings.fromConfig(config),
              "node",
              ReplicaSet.joined(sets),
              page -> Set.of(),
              CallObserver.NONE,
              BacklogExchange.NONE);
    } catch (RuntimeException failure) {
      close();
      throw failure;
    }
    opened.addFirst(gateway);
  }

  @Override
  public void close() {
    for (AutoCloseable one : opened) {
      try {
        one.close();
      } catch (Exception failure) {
        throw new IllegalStateException(failure);
      }
    }
  }
}
