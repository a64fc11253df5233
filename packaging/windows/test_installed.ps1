# Tests the Windows edition on Windows: installs it silently, uses the command line, opens a scenario by its file
# type and takes a picture of the window, upgrades, refuses a foreign folder, removes.
# NOT RUN YET: written without a Windows machine at hand; the workflow runs it on two versions.
param([Parameter(Mandatory)][string]$Packages, [Parameter(Mandatory)][string]$Pictures)

$ErrorActionPreference = 'Stop'
$PSNativeCommandUseErrorActionPreference = $false
[Console]::OutputEncoding = [Text.Encoding]::UTF8

$setup = (Get-ChildItem $Packages -Filter '*-setup.exe')[0].FullName
$folder = Join-Path $env:LOCALAPPDATA 'Programs\MFU Calculator'
$command = Join-Path $folder 'mfu-gui.exe'
$example = Join-Path $PWD 'tests\data\scenarios\deepseek-v3-2048-h800.mfu'
New-Item -ItemType Directory -Force $Pictures | Out-Null

function Assert([bool]$holds, [string]$what) {
    if (-not $holds) { throw "not so: $what" }
    Write-Host "ok   $what"
}

function Run-Setup([string[]]$words) {
    (Start-Process -FilePath $setup -ArgumentList $words -Wait -PassThru).ExitCode
}

function Wait-Window([Diagnostics.Process]$process, [string]$title) {
    foreach ($turn in 1..120) {
        $process.Refresh()
        if ($process.HasExited) { throw "the program ended with status $($process.ExitCode) before its window came" }
        if ($process.MainWindowTitle -like "*$title*") { return }
        Start-Sleep -Milliseconds 250
    }
    throw "no window with $title in its title; there is '$($process.MainWindowTitle)'"
}

function Save-Picture([string]$name) {
    Add-Type -AssemblyName System.Windows.Forms, System.Drawing
    $bounds = [System.Windows.Forms.Screen]::PrimaryScreen.Bounds
    $bitmap = New-Object System.Drawing.Bitmap $bounds.Width, $bounds.Height
    $graphics = [System.Drawing.Graphics]::FromImage($bitmap)
    $graphics.CopyFromScreen($bounds.Location, [System.Drawing.Point]::Empty, $bounds.Size)
    $bitmap.Save((Join-Path $Pictures $name), [System.Drawing.Imaging.ImageFormat]::Png)
    $graphics.Dispose()
    $bitmap.Dispose()
}

$foreign = Join-Path $env:TEMP 'somebodys files'
New-Item -ItemType Directory -Force $foreign | Out-Null
Set-Content (Join-Path $foreign 'letter.txt') 'dear'
Assert ((Run-Setup '/S', "/D=$foreign") -eq 2) 'a folder with other files in it is refused'
Assert ((Get-ChildItem $foreign).Count -eq 1) 'and left alone'

$watch = [Diagnostics.Stopwatch]::StartNew()
Assert ((Run-Setup '/S') -eq 0) 'it installs silently'
Write-Host "     in $($watch.Elapsed.TotalSeconds.ToString('0.0')) s"

& $command --version
& $command --self-test
Assert ($LASTEXITCODE -eq 0) 'the self-test passes'
$place = Join-Path $env:TEMP "it's a 方案"
New-Item -ItemType Directory -Force $place | Out-Null
$scenario = Join-Path $place 'run 100%.mfu'
Copy-Item $example $scenario
$result = & $command compute $scenario --format json | ConvertFrom-Json
Assert ([Math]::Round(100 * $result.mfu, 2) -eq 43.73) 'DeepSeek-V3 on 2048 H800 gives the published 43.73 %'
& $command plan $scenario --format json | Out-Null
Assert ($LASTEXITCODE -eq 0) 'plan works, and with it numpy'
& $command report $scenario -o (Join-Path $Pictures 'report.pdf')
Assert ($LASTEXITCODE -eq 0) 'a report becomes a PDF, by Qt'
& $command report $scenario -o (Join-Path $Pictures 'report.xlsx')
Assert ($LASTEXITCODE -eq 0) 'and a workbook'
& $command compute nothing.mfu 2>$null
Assert ($LASTEXITCODE -eq 2) 'a missing file is an input error'

# Where and by what the shell opens it, then opened as a double click does.
Invoke-Item $scenario
$process = $null
foreach ($turn in 1..120) {
    $process = Get-Process | Where-Object { $_.Path -like "$folder\*.exe" } | Select-Object -First 1
    if ($process) { break }
    Start-Sleep -Milliseconds 250
}
Assert ($null -ne $process) 'the file type starts the program'
Wait-Window $process 'DeepSeek-V3'
Start-Sleep -Seconds 3
Save-Picture 'window.png'
Assert ((Run-Setup '/S') -eq 3) 'an upgrade is refused while it runs'
$process.CloseMainWindow() | Out-Null
Assert ($process.WaitForExit(15000)) 'the window closes'

$watch.Restart()
$process = Start-Process -FilePath (Join-Path $folder 'MFU Calculator.exe') -ArgumentList "`"$scenario`"" -PassThru
Wait-Window $process 'DeepSeek-V3'
Write-Host "     window after $($watch.Elapsed.TotalSeconds.ToString('0.00')) s"
$process.CloseMainWindow() | Out-Null
$process.WaitForExit(15000) | Out-Null

$presets = Join-Path $env:LOCALAPPDATA 'mfu-gui\presets\models'
New-Item -ItemType Directory -Force $presets | Out-Null
$preset = Get-Content (Join-Path $folder '_internal\mfu_gui\_resources\presets\models\gpt-j-6b.json') -Raw |
    ConvertFrom-Json -AsHashtable
$preset.id = 'my-own-model'
$preset.name = 'My own model'
$preset.Remove('aliases')
$preset | ConvertTo-Json -Depth 50 | Set-Content (Join-Path $presets 'my-own-model.json') -Encoding utf8NoBOM
Set-Content (Join-Path $folder '_internal\left-over.txt') 'older'
Assert ((Run-Setup '/S') -eq 0) 'it upgrades'
Assert (-not (Test-Path (Join-Path $folder '_internal\left-over.txt'))) 'the old version''s files are gone'
$models = & $command presets models --format json | ConvertFrom-Json
Assert (($models | Where-Object id -EQ 'my-own-model').Count -eq 1) 'the user''s preset is there'

Start-Process -FilePath (Join-Path $folder 'uninstall.exe') -ArgumentList '/S' -Wait
foreach ($turn in 1..120) { if (Test-Path $folder) { Start-Sleep -Milliseconds 500 } }
Assert (-not (Test-Path $folder)) 'nothing of the program is left after the removal'
Assert (Test-Path (Join-Path $presets 'my-own-model.json')) 'but the user''s files'
Assert (-not (Test-Path 'HKCU:\Software\Classes\MfuCalculator.Scenario')) 'the file type is forgotten'
