dependencies {
    api(project(":blackboard"))
    api(project(":vcm-cache:schedule"))
    api(libs.jackson.databind)
    api(libs.json.schema.validator) {
        exclude(group = "com.fasterxml.jackson.dataformat", module = "jackson-dataformat-yaml")
    }
    api(libs.config)
    compileOnly(libs.msgpack.core)
    api(libs.slf4j.api)
    compileOnly(libs.jeromq)
    testImplementation(libs.msgpack.core)
    testImplementation(libs.jeromq)
    testImplementation(libs.logback.classic)
}

// Test fixtures for the other modules: the recording model server.
val testJar by configurations.creating

val testJarTask = tasks.register<Jar>("testJar") {
    archiveClassifier.set("tests")
    from(sourceSets.test.get().output)
}

artifacts {
    add(testJar.name, testJarTask)
}
