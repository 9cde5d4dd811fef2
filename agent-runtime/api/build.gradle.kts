dependencies {
    api(project(":blackboard"))
    api(project(":vcm-cache:pages"))
    api(project(":inference-gateway:gateway"))
    testImplementation(libs.logback.classic)
}

// Test fixtures for the other modules.
val testJar by configurations.creating

val testJarTask = tasks.register<Jar>("testJar") {
    archiveClassifier.set("tests")
    from(sourceSets.test.get().output)
}

artifacts {
    add(testJar.name, testJarTask)
}
