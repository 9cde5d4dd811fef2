dependencies {
    api(project(":agent-runtime:node"))
    api(project(":inference-gateway:embedded-replica"))
    api(project(":agent-runtime:mcp"))
    api(project(":agent-runtime:code"))
    api(libs.lucene.analysis.common)
    api(libs.jgit)
    api(libs.bucket4j)
    api(libs.nimbus.jose.jwt)
    api(libs.micrometer.registry.prometheus)
    api(libs.opentelemetry.exporter.otlp)
    api(libs.opentelemetry.exporter.sender.jdk)
    api(libs.opentelemetry.sdk.extension.autoconfigure)
    api(libs.pekko.http)
    // pekko-management brings an older one, which does not go with pekko-http
    api(libs.pekko.http.spray.json)
    api(libs.pekko.discovery.kubernetes.api)
    api(libs.pekko.lease.kubernetes)
    api(libs.pekko.management)
    api(libs.pekko.management.cluster.bootstrap)
    api(libs.pekko.management.cluster.http)
    api(libs.pekko.pki)
    api(libs.pekko.slf4j)
    api(libs.logback.classic)
    api(libs.preact)
    testImplementation(project(":agent-runtime:testkit"))
    testImplementation(project(path = ":inference-gateway:gateway", configuration = "testJar"))
    testImplementation(libs.jackson.dataformat.yaml)
    testImplementation(libs.openai.java)
    testImplementation(libs.archunit.junit5)
}

// Test fixtures for the other modules: nodes in a JVM, stored agents, a client of the HTTP API.
val testJar by configurations.creating

val testJarTask = tasks.register<Jar>("testJar") {
    archiveClassifier.set("tests")
    from(sourceSets.test.get().output)
}

artifacts {
    add(testJar.name, testJarTask)
}
