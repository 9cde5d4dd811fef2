dependencies {
    api(project(":blackboard"))
    api(project(":vcm-cache"))
    api(project(":inference-gateway"))
    api(libs.jackson.datatype.jdk8)
    api(libs.jackson.datatype.jsr310)
    api(libs.jsonschema.generator)
    api(libs.jsonschema.module.jackson)
    api(libs.json.schema.validator) {
        exclude(group = "com.fasterxml.jackson.dataformat", module = "jackson-dataformat-yaml")
    }
    api(libs.byte.buddy)
    api(libs.pekko.actor.typed)
    api(libs.pekko.cluster.typed)
    api(libs.pekko.cluster.sharding.typed)
    api(libs.pekko.persistence.typed)
    api(libs.pekko.serialization.jackson)
    // in the place of the one that pekko-serialization-jackson asks for
    testImplementation(project(path = ":blackboard", configuration = "testJar"))
    testImplementation(libs.pekko.actor.testkit.typed)
    testImplementation(libs.pekko.persistence.testkit)
    testImplementation(libs.pekko.persistence.tck)
    testImplementation(libs.logback.classic)
}

// Test fixtures for the other modules: what holds pages of the docs to tests.
val testJar by configurations.creating

val testJarTask = tasks.register<Jar>("testJar") {
    archiveClassifier.set("tests")
    from(sourceSets.test.get().output)
}

artifacts {
    add(testJar.name, testJarTask)
}
