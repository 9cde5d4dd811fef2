dependencies {
    api(libs.lettuce.core)
    api(libs.jackson.databind)
    api(libs.jackson.datatype.jdk8)
    api(libs.jackson.datatype.jsr310)
    api(libs.embedded.redis)
    api(libs.json.schema.validator) {
        exclude(group = "com.fasterxml.jackson.dataformat", module = "jackson-dataformat-yaml")
    }
    api(libs.config)
    api(libs.slf4j.api)
    testImplementation(libs.logback.classic)
    testImplementation(libs.testcontainers.junit.jupiter)
}

// Test fixtures for the other modules: the contract suite and the Redis server of the tests.
val testJar by configurations.creating

val testJarTask = tasks.register<Jar>("testJar") {
    archiveClassifier.set("tests")
    from(sourceSets.test.get().output)
}

artifacts {
    add(testJar.name, testJarTask)
}
